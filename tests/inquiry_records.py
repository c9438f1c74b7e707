"""What a careful model would read out of the inquiry corpus, document by document, and seven planted faults.

The faults: 2 quotes with small differences, 13 repeats a price with two digits exchanged, 21 gives a number of orders
that is not in its quote, 34 quotes another document, 36 exchanges two digits of an amount, 39 quotes what no document
holds, and 9 keeps an award that 16 withdraws.
"""

from typing import Any

Said = dict[str, Any]


def _record(quotes: tuple[str, ...], about: dict[str, str], **values: object) -> Said:
    return {"quotes": list(quotes), "said_by": about.get("by"), "certainty": about.get("how", "stated"), **values}


def _contract(
    *quotes: str, work: str, number: str | None, contractor: str, signed: str | None, price: int | None, **about: str
) -> tuple[str, Said]:
    values = {"work": work, "number": number, "contractor": contractor, "signed": signed, "price": price}
    return "Contract", _record(quotes, about, **values)


def _account(
    *quotes: str, work: str, total: int | None, closed: str | None = None, orders: int | None = None, **about: str
) -> tuple[str, Said]:
    values = {"account": f"final account of {work}", "work": work, "final_sum": total, "closed": closed}
    return "FinalAccount", _record(quotes, about, **values, additional_orders=orders)


def _payment(
    *quotes: str, payer: str, payee: str, day: str | None, euros: int | None, invoice: str | None = None, **about: str
) -> tuple[str, Said]:
    name = invoice or f"{payer} to {payee}, {day}"
    values = {"payment": name, "payer": payer, "payee": payee, "day": day, "euros": euros}
    return "Payment", _record(quotes, about, **values, invoice=invoice)


def _party(
    *quotes: str, name: str, kind: str = "company", owned_by: str | None = None, address: str | None = None
) -> tuple[str, Said]:
    return "Party", _record(quotes, {}, name=name, kind=kind, owned_by=owned_by, address=address)


_SILVERLINE = "Silverline Advisory Ltd"

RECORDS: dict[int, tuple[tuple[str, Said], ...]] = {
    1: (
        _contract(
            "Contract number: BR-2019-04\nObject: Renewal of the North Dyke",
            "Contractor: Feldbau Ltd, 3 Foundry Road, Brenmark\nDate of signature: 22 March 2019\nContract price: "
            "1,800,000 euros",
            work="North Dyke",
            number="BR-2019-04",
            contractor="Feldbau Ltd",
            signed="2019-03-22",
            price=1_800_000,
        ),
        _party(
            "Contractor: Feldbau Ltd, 3 Foundry Road, Brenmark", name="Feldbau Ltd", address="3 Foundry Road, Brenmark"
        ),
    ),
    2: (
        _contract(
            "the drains in Chapel Lane in December 2019 for 310,000 euros, because nobody else wanted to dig there",
            work="drains in Chapel Lane",
            number=None,
            contractor="Delta Works Ltd",
            signed="2019-12",
            price=310_000,
            by="Lena Farrow",
        ),
    ),
    5: (
        _contract(
            "The contract price for Mill Weir is 1,240,000 euros, without value added tax.",
            "Signed at Brenmark on 18 October 2019, in two copies.",
            work="Mill Weir",
            number="BR-2019-17",
            contractor="Ael Marine Works Ltd",
            signed="2019-10-18",
            price=1_240_000,
        ),
        _party(
            "Ael Marine Works Ltd, Slip Lane 9, Brenmark, represented by its director, Henrik Koster",
            name="Ael Marine Works Ltd",
            address="Slip Lane 9, Brenmark",
        ),
    ),
    6: (
        _party(
            "From 1 February 2019: Irena Dolan, born 2 June 1978, of Larch Row 22, Brenmark, holds 100 per cent of the "
            "shares of Northgate Holding Ltd.",
            name="Northgate Holding Ltd",
            owned_by="Irena Dolan",
        ),
        _party(
            "Irena Dolan, born 2 June 1978, of Larch Row 22, Brenmark",
            name="Irena Dolan",
            kind="person",
            address="Larch Row 22, Brenmark",
        ),
    ),
    7: (
        _contract(
            "The contract BR-2020-05 for the new East Pumping Station was signed with Feldbau Ltd on 28 February 2020.",
            "The contract price for the East Pumping Station is 2,400,000 euros, without value added tax.",
            work="East Pumping Station",
            number="BR-2020-05",
            contractor="Feldbau Ltd",
            signed="2020-02-28",
            price=2_400_000,
        ),
    ),
    9: (
        _contract(
            "number: BR-2020-05; object: East Pumping Station, Ferry Road, new building; contractor: Feldbau Ltd; "
            "date: 2020-02-28; price_euros_without_tax: 2400000",
            work="East Pumping Station",
            number="BR-2020-05",
            contractor="Feldbau Ltd",
            signed="2020-02-28",
            price=2_400_000,
        ),
        _contract(
            "number: BR-2020-09; object: fish ladder at Mill Weir; contractor: Feldbau Ltd; date: 2020-05-12; "
            "price_euros_without_tax: 295000; status: awarded",
            work="fish ladder",
            number="BR-2020-09",
            contractor="Feldbau Ltd",
            signed="2020-05-12",
            price=295_000,
        ),
        _contract(
            "number: BR-2020-13; object: fence and two swings, playground in Tannery Street; contractor: Feldmann Bau; "
            "date: 2020-06-08; price_euros_without_tax: 23800",
            work="fence and two swings",
            number="BR-2020-13",
            contractor="Feldmann Bau",
            signed="2020-06-08",
            price=23_800,
        ),
        _contract(
            "number: BR-2020-21; object: Harbour Wall, repair of 210 metres between the ice works and the ferry; "
            "contractor: Ael Marine Works Ltd; date: 2020-08-25; price_euros_without_tax: 1650000",
            work="Harbour Wall",
            number="BR-2020-21",
            contractor="Ael Marine Works Ltd",
            signed="2020-08-25",
            price=1_650_000,
        ),
    ),
    10: (
        _contract(
            "Contract number: BR-2018-31\n\nThe City of Brenmark orders from Feldbau Ltd, 3 Foundry Road, Brenmark, the "
            "lighting of the Fish Quay",
            "Contract price: 184,000 euros, without value added tax.\n\nSigned on 30 November 2018.",
            work="lighting of the Fish Quay",
            number="BR-2018-31",
            contractor="Feldbau Ltd",
            signed="2018-11-30",
            price=184_000,
        ),
    ),
    11: (
        _payment(
            "date: 2019-04-12; counterparty: FELDBAU LTD; reference: invoice SL-2019-01, market study, dykes; "
            "amount_euros: 18000.00",
            payer="FELDBAU LTD",
            payee=_SILVERLINE,
            day="2019-04-12",
            euros=18_000,
            invoice="SL-2019-01",
        ),
        _payment(
            "date: 2019-11-08; counterparty: AEL MARINE WORKS LTD; reference: invoice SL-2019-02, market study, sluice "
            "gates; amount_euros: 12400.00",
            payer="AEL MARINE WORKS LTD",
            payee=_SILVERLINE,
            day="2019-11-08",
            euros=12_400,
            invoice="SL-2019-02",
        ),
        _payment(
            "date: 2019-12-16; counterparty: NORTHGATE HOLDING LTD; reference: dividend for the year 2019 to the only "
            "shareholder; amount_euros: -27000.00",
            payer=_SILVERLINE,
            payee="NORTHGATE HOLDING LTD",
            day="2019-12-16",
            euros=27_000,
        ),
    ),
    12: (
        _account(
            "The final sum for the North Dyke is 1,890,000 euros, without value added tax.",
            "Date: 7 August 2020",
            work="North Dyke",
            total=1_890_000,
            closed="2020-08-07",
        ),
    ),
    13: (
        _contract(
            "the city signed for 1,420,000 euros in October 2019",
            work="Mill Weir",
            number=None,
            contractor="Ael Marine Works",
            signed="2019-10",
            price=1_420_000,
            by="a list that the Herald has seen",
            how="alleged",
        ),
        _account(
            "The final bill, as a member of the council confirmed, is 1,612,000 euros.",
            work="Mill Weir",
            total=1_612_000,
            by="a member of the council",
        ),
        _party(
            "Its director, Henrik Koster, said only that the old walls had been “full of surprises”.",
            name="Henrik Koster",
            kind="person",
        ),
    ),
    15: (
        _party(
            "Jonas Feld, 80 per cent; Greta Feld, 20 per cent.",
            "Name: Feldbau Ltd",
            name="Feldbau Ltd",
            owned_by="Jonas Feld",
            address="3 Foundry Road, Brenmark",
        ),
        _party(
            "Not to be confused with Feldmann Bau, owner Uwe Feldmann", name="Feldmann Bau", owned_by="Uwe Feldmann"
        ),
    ),
    16: (
        _contract(
            "The award of BR-2020-09 to Feldbau Ltd is withdrawn before signature.",
            "No contract has come into being and none may be signed.",
            work="fish ladder",
            number="BR-2020-09",
            contractor="Feldbau Ltd",
            signed=None,
            price=None,
            how="denied",
        ),
    ),
    17: (
        _payment(
            "To Feldbau Ltd\n3 Foundry Road, Brenmark\n\nINVOICE SL-2020-01",
            "FELDBAU LTD. Received 3 March 2020. Booked: studies. Paid 20 March 2020. G. F.",
            payer="Feldbau Ltd",
            payee=_SILVERLINE,
            day="2020-03-20",
            euros=24_000,
            invoice="SL-2020-01",
        ),
    ),
    18: (
        _payment(
            "I remember 18,000 in spring 2019.",
            payer="Feldbau",
            payee="Silverline Advisory",
            day="2019",
            euros=18_000,
            by="a clerk",
            how="alleged",
        ),
        _payment(
            "I remember 24,000, that was in April 2020, I think",
            payer="Feldbau",
            payee="Silverline Advisory",
            day="2020-04",
            euros=24_000,
            by="a clerk",
            how="alleged",
        ),
    ),
    19: (
        _account(
            "No flood work of the City has cost more than a tenth above its contract price.",
            work="any flood work above its price by more than a tenth",
            total=None,
            by="Press Office",
            how="denied",
        ),
    ),
    21: (
        _account(
            "The final sum for Mill Weir is 1,612,000 euros, without value added tax.",
            "Date: Tue, 16 Feb 2021",
            work="Mill Weir",
            total=1_612_000,
            closed="2021-02-16",
            orders=7,
        ),
    ),
    23: (
        _party(
            "Feldbau Ltd held all shares of Ael Marine Works Ltd from 4 February 2019 to 18 December 2020.",
            "registered_office: Slip Lane 9, Brenmark",
            name="Ael Marine Works Ltd",
            owned_by="Feldbau Ltd",
            address="Slip Lane 9, Brenmark",
        ),
    ),
    24: (
        _payment(
            "date: 2020-03-20; counterparty: FELDBAU LTD; reference: invoice SL-2020-01, market study, pumping "
            "stations; amount_euros: 24000.00",
            payer="FELDBAU LTD",
            payee=_SILVERLINE,
            day="2020-03-20",
            euros=24_000,
            invoice="SL-2020-01",
            how="inferred",
        ),
        _payment(
            "date: 2020-06-10; counterparty: DELTA WORKS LTD; reference: seminar on tender law, three seats, with "
            "coffee; amount_euros: 1800.00",
            payer="DELTA WORKS LTD",
            payee=_SILVERLINE,
            day="2020-06-10",
            euros=1_800,
            how="inferred",
        ),
        _payment(
            "date: 2020-12-14; counterparty: NORTHGATE HOLDING LTD; reference: dividend for the year 2020 to the only "
            "shareholder; amount_euros: -36000.00",
            payer=_SILVERLINE,
            payee="NORTHGATE HOLDING LTD",
            day="2020-12-14",
            euros=36_000,
            how="inferred",
        ),
    ),
    26: (
        _contract(
            "the contract BR-2021-02 for the South Dyke, signed today, 15 January 2021, by both sides",
            "The contract price for the South Dyke is 2,860,000 euros, without value added tax.",
            work="South Dyke",
            number="BR-2021-02",
            contractor="Feldbau Ltd",
            signed="2021-01-15",
            price=2_860_000,
        ),
    ),
    27: (
        _contract(
            "The contract price was 1,240,000 euros.",
            "new gates at Mill Weir",
            work="Mill Weir",
            number=None,
            contractor="Ael Marine Works",
            signed=None,
            price=1_240_000,
        ),
        _account(
            "The final sum, 1,612,000 euros, was reported correctly.",
            "new gates at Mill Weir",
            work="Mill Weir",
            total=1_612_000,
        ),
    ),
    29: (
        _contract(
            "The contract price is 700,000 euros, without value added tax.",
            "Signed at Brenmark on 12 March 2021, in two copies.",
            work="city slipway",
            number="BR-2021-06",
            contractor="Ael Marine Works Ltd",
            signed="2021-03-12",
            price=700_000,
        ),
        _party(
            "The company has one owner, Henrik Koster.",
            "Ael Marine Works Ltd, Slip Lane 9, Brenmark",
            name="Ael Marine Works Ltd",
            owned_by="Henrik Koster",
            address="Slip Lane 9, Brenmark",
        ),
    ),
    30: (
        _payment(
            "Ael Marine Works paid 16,500 euros to Silverline Advisory on 15 September 2020, for your invoice "
            "SL-2020-02",
            payer="Ael Marine Works",
            payee="Silverline Advisory",
            day="2020-09-15",
            euros=16_500,
            invoice="SL-2020-02",
        ),
        _contract(
            "the contract for the Harbour Wall was signed on 25 August, at 1,650,000 euros",
            work="Harbour Wall",
            number=None,
            contractor="Ael Marine Works",
            signed="2020-08-25",
            price=1_650_000,
        ),
    ),
    31: (
        _party(
            "Northgate Holding Ltd has held all shares of Silverline Advisory Ltd since the foundation on 11 January "
            "2019.",
            "registered_office: 14 Quay Street, Brenmark",
            name=_SILVERLINE,
            owned_by="Northgate Holding Ltd",
            address="14 Quay Street, Brenmark",
        ),
    ),
    32: (
        _account(
            "The final sum for the East Pumping Station is 2,808,000 euros, without value added tax.",
            "For the council, meeting of 3 March 2021.",
            work="East Pumping Station",
            total=2_808_000,
            closed="2021-03-03",
        ),
    ),
    33: tuple(
        _payment(
            f"date: {day}; counterparty: DOLAN I.; reference: to the shareholder, {when}; amount_euros: -{euros}.00",
            payer="Northgate Holding Ltd",
            payee="DOLAN I.",
            day=day,
            euros=euros,
        )
        for day, when, euros in (
            ("2019-12-20", "winter 2019", 25_000),
            ("2020-12-18", "winter 2020", 34_000),
            ("2021-03-05", "spring 2021", 22_500),
        )
    ),
    34: (
        _contract(
            "Contract price: 1,800,000 euros, without value added tax",
            work="North Dyke",
            number="BR-2019-04",
            contractor="Feldbau",
            signed=None,
            price=1_800_000,
        ),
    ),
    36: (
        _payment(
            "date: 2021-02-05; counterparty: FELDBAU LTD; reference: invoice SL-2021-01, market study, river towns; "
            "amount_euros: 28600.00",
            payer="FELDBAU LTD",
            payee=_SILVERLINE,
            day="2021-02-05",
            euros=26_800,
            invoice="SL-2021-01",
            how="inferred",
        ),
    ),
    37: (
        _payment(
            "I have your invoice of 3 May on my table, 8,000 euros, for Culvert Lane.",
            "Nothing is due, and nothing will be paid.",
            payer="Feldbau",
            payee="Silverline Advisory",
            day=None,
            euros=8_000,
            invoice="SL-2021-02",
            by="Jonas Feld",
            how="denied",
        ),
    ),
    39: (
        _account(
            "The committee finds that the works at Mill Weir came to 1,700,000 euros in the end.",
            work="Mill Weir",
            total=1_700_000,
        ),
    ),
}
"""Document number -> its records, each with its type."""
