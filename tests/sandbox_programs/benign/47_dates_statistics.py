from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo
import statistics, calendar
from fractions import Fraction
days = sorted(datetime.fromisoformat(r['date']) for r in records)
gaps = [(b - a).total_seconds() / 3600 for a, b in zip(days, days[1:])]
print(round(statistics.mean(gaps), 3), round(statistics.median(gaps), 3), round(statistics.stdev(gaps), 3), [round(q, 2) for q in statistics.quantiles(gaps, n=4)])
print(days[0].strftime('%A %d %B %Y'), days[-1].isocalendar()[:2], (days[-1] - days[0]).days, calendar.monthrange(2024, 2))
print(datetime(2021, 3, 28, 3, tzinfo=ZoneInfo('Europe/Berlin')).astimezone(timezone.utc), date(2024, 2, 29) + timedelta(days=366))
print(statistics.mode(r['type'] for r in records), statistics.multimode('aabb'), Fraction(1, 3) + Fraction(1, 6), statistics.correlation([1, 2, 3], [1, 2, 4]).__round__(3))
print(datetime.strptime('03/04/2019 5PM', '%d/%m/%Y %I%p'), max(days).replace(microsecond=0) > min(days))
