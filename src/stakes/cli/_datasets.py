"""`stakes datasets`: the data sets that can be used by name."""

import typer

from stakes.cli._guard import guarded
from stakes.cli._options import argument


@guarded
def datasets(
    name: argument(
        str | None, "Describe this data set.", metavar="NAME", show_default=False
    ) = None,
):
    r"""List the data sets that compare and train know by name, or describe one.

    \b
    Examples:
      stakes datasets
      stakes datasets german
    """
    from stakes.datasets import available

    if name is None:
        for row in available():
            share = row["positives"] / row["rows"]
            size = f"{row['rows']:>7,} x {row['features']:<3} {share:>6.2%} positive"
            typer.echo(f"{row['name']:17} {row['source']:9} {size}  {row['about']}")
        return

    from stakes.compare import TableSettings

    data = TableSettings(name).load()
    shape = f"{len(data):,} rows, {data.X.shape[1]} features"
    typer.echo(f"{name}: {shape}; positive means {data.positive}.\n{data.description}\n")
    typer.echo(str(data.summary()))
    if hasattr(data.X, "schema"):
        from stakes.tables import kind_of

        kinds = ", ".join(f"{col} ({kind_of(dtype)})" for col, dtype in data.X.schema.items())
        typer.echo(f"\nColumns: {kinds}.")
