"""Texts in soft clusters by their vectors: Gaussian mixtures over a low-dimensional picture of who is near whom.

After RAPTOR (Sarthi et al., ICLR 2024, section 3): vectors are reduced, the number of clusters is the one with the best
Bayesian information criterion, first over all texts and then within each cluster, and a text belongs to every cluster
that it has a tenth of a chance to be of. RAPTOR reduces by UMAP; here the graph of nearest neighbours from which UMAP
starts is laid out by its eigenvectors, which gives the same picture every time.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from r3con_core.embedding import Vectors

    Picture = NDArray[np.float64]

Group = tuple[int, ...]
"""Rows that belong together, in order, counted from 0."""
DIMENSIONS = 10
"""To which vectors are reduced; so few texts and one are not clustered."""
BELONGS = 0.1
"""The least chance of being of a cluster with which a text counts as one of it."""
LOCAL_NEIGHBOURS = 10
MOST_CLUSTERS = 50
"""At one level, of which there are two."""
SPREAD = 1e-3
"""Added to each variance, where the whole has about 1: a few texts in ten dimensions would be a cluster each."""
AT_ONCE = 2000
"""More rows are first parted as they come: each is compared with each."""


def soft_clusters(vectors: "Vectors", lengths: Sequence[int], ceiling: int) -> tuple[Group, ...]:
    """Clusters of the rows of `vectors`, in the order of their first rows, of about `ceiling` tokens at most.

    Every row is in one at least, and there are at most half as many clusters as rows, rounded up; for that some may
    outgrow the ceiling. `lengths`: tokens of the text of each row.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    rows = tuple(range(len(lengths)))
    if not rows:
        return ()
    with threadpool_limits(limits=1):  # sums differ in their last digits with the number of threads
        found = [each for part in _stretches(rows, AT_ONCE) for each in _fitting(vectors, part, lengths, ceiling)]
    unique = list(dict.fromkeys(tuple(sorted(group)) for group in found))
    return tuple(sorted(_joined(unique, vectors, lengths, (len(rows) + 1) // 2)))


def _stretches(rows: Group, most: int) -> Iterator[Group]:
    parts = -(-len(rows) // most)
    for part in range(parts):
        yield rows[len(rows) * part // parts : len(rows) * (part + 1) // parts]


def _fitting(vectors: "Vectors", rows: Group, lengths: Sequence[int], ceiling: int) -> Iterator[Group]:
    """Clusters of `rows`; those of more than `ceiling` tokens are clustered again, and halved where that parts nothing."""
    if len(rows) <= DIMENSIONS + 1:
        yield from _halved(rows, lengths, ceiling)
        return
    for group in _two_levels(vectors, rows):
        if len(group) == 1 or sum(lengths[row] for row in group) <= ceiling:
            yield group
        elif len(group) < len(rows):
            yield from _fitting(vectors, group, lengths, ceiling)
        else:
            yield from _halved(group, lengths, ceiling)


def _halved(rows: Group, lengths: Sequence[int], ceiling: int) -> Iterator[Group]:
    if len(rows) <= 2 or sum(lengths[row] for row in rows) <= ceiling:
        yield rows
        return
    middle = (len(rows) + 1) // 2
    yield from _halved(rows[:middle], lengths, ceiling)
    yield from _halved(rows[middle:], lengths, ceiling)


def _two_levels(vectors: "Vectors", rows: Group) -> Iterator[Group]:
    """Clusters of all `rows`, and clusters of each of these by what is near within it."""
    for wide in mixture(reduced(vectors[list(rows)], max(2, int((len(rows) - 1) ** 0.5)))):
        group = tuple(rows[place] for place in wide)
        if len(group) <= DIMENSIONS + 1:
            yield group
            continue
        for near in mixture(reduced(vectors[list(group)], LOCAL_NEIGHBOURS)):
            yield tuple(group[place] for place in near)


def reduced(vectors: "Vectors", neighbours: int) -> "Picture":
    """Rows in at most `DIMENSIONS` dimensions, in which those that share near neighbours are near (Laplacian eigenmaps)."""
    import numpy as np
    from scipy.linalg import eigh  # type: ignore[import-untyped]

    weights = _nearness(vectors, min(neighbours, len(vectors) - 1))
    degrees = weights.sum(axis=1).clip(min=1e-9)
    laplacian = np.eye(len(weights)) - weights / np.sqrt(np.outer(degrees, degrees))
    wanted = min(DIMENSIONS, max(len(vectors) // 8, 2))
    _, found = eigh(laplacian, subset_by_index=[1, wanted])
    picture: Picture = found / np.sqrt(degrees)[:, None]
    return picture / max(float(picture.std()), 1e-9)


def _nearness(vectors: "Vectors", neighbours: int) -> "Picture":
    """How near each row is to each by cosine, 0 to 1: a row's nearest has 1, and all but its `neighbours` nearest 0."""
    import numpy as np

    exact = np.asarray(vectors, dtype=np.float64)
    away = 1.0 - exact @ exact.T
    np.fill_diagonal(away, np.inf)
    nearest = np.argsort(away, axis=1, kind="stable")[:, :neighbours]
    distances = np.take_along_axis(away, nearest, axis=1)
    beyond = distances - distances.min(axis=1, keepdims=True)
    weights: Picture = np.zeros_like(away)
    np.put_along_axis(weights, nearest, np.exp(-beyond / beyond.mean(axis=1, keepdims=True).clip(min=1e-9)), axis=1)
    return weights + weights.T - weights * weights.T


def mixture(picture: "Picture") -> Iterator[Group]:
    """Soft clusters of the rows by the Gaussian mixture with the best information criterion."""
    import numpy as np
    from sklearn.mixture import GaussianMixture  # type: ignore[import-untyped]

    counts = range(1, min(MOST_CLUSTERS, max(len(picture) // 2, 1)) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # equal texts, and mixtures that are given up before they settle
        fitted = [GaussianMixture(count, random_state=0, reg_covar=SPREAD).fit(picture) for count in counts]
    best = min(fitted, key=lambda mixture: float(mixture.bic(picture)))
    chances = best.predict_proba(picture)
    belongs = chances > BELONGS
    belongs[np.arange(len(picture)), chances.argmax(axis=1)] = True  # among many clusters none may have a tenth
    for cluster in range(belongs.shape[1]):
        rows = np.flatnonzero(belongs[:, cluster])
        if len(rows):
            yield tuple(int(row) for row in rows)


def _joined(groups: list[Group], vectors: "Vectors", lengths: Sequence[int], most: int) -> list[Group]:
    """No more than `most` groups: while there are more, the shortest joins the one that is nearest to it."""
    import numpy as np

    groups = list(groups)
    while len(groups) > most:
        least = min(range(len(groups)), key=lambda place: (len(groups[place]), sum(lengths[r] for r in groups[place])))
        small = groups.pop(least)
        middles = np.stack([vectors[list(group)].mean(axis=0) for group in groups])
        shortest = min(len(group) for group in groups)
        near = middles @ vectors[list(small)].mean(axis=0) - 10.0 * np.array([len(g) > shortest + 2 for g in groups])
        place = int(near.argmax())
        groups[place] = tuple(sorted({*groups[place], *small}))
    return groups
