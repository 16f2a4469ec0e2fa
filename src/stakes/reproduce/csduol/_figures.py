"""Figures 1 and 2 of the CSDUOL paper, plotted from a stored run.

python -m stakes.reproduce.csduol._figures csduol.json csduol_curves.svg
"""

from matplotlib.figure import Figure

from stakes.reproduce._drawing import draw_stored

STYLES = {
    "Perceptron": ("black", 0.9),
    "ALMA": ("tab:orange", 0.9),
    "ROMMA": ("tab:brown", 0.9),
    "PA-I": ("tab:gray", 0.9),
    "DUOL": ("tab:blue", 1.4),
    "PAUM": ("tab:green", 1.4),
    "CPA": ("tab:purple", 1.4),
    "CSDUOL": ("tab:red", 2.2),
}


def draw(result):
    """One panel per set and figure: each learner's value after a share of the stream."""
    tables = [t for t in result["tables"] if t["title"].startswith("Figure")]
    tables.sort(key=lambda table: table["title"])
    columns = max(1, len(tables) // 2)
    figure = Figure(figsize=(3.2 * columns, 5.6), layout="constrained")
    axes = figure.subplots(2, columns, squeeze=False).ravel()
    for axis, table in zip(axes, tables, strict=True):
        for learner, curve in _curves(table).items():
            color, width = STYLES[learner]
            axis.plot(*zip(*curve, strict=True), label=learner, color=color, linewidth=width)
        axis.set_title(
            table["title"].replace(" during the stream", "").replace(": ", "\n"), fontsize=8
        )
        axis.tick_params(labelsize=7)
        axis.set_xlabel("% read", fontsize=7)
    axes[0].legend(fontsize=6)
    return figure


def _curves(table):
    curves = {}
    for cell in table["cells"]:
        share = float(cell["column"].split("%")[0])
        curves.setdefault(cell["row"], []).append((share, cell["ours"]))
    return curves


if __name__ == "__main__":
    draw_stored(draw)
