"""The data sets of Chapter 3 that are available: two classes (Table 3.2), and many."""

import numpy as np
import polars as pl
from sklearn.datasets import load_iris

from stakes.reproduce._files import data_file, load_npz

# name -> file, labels of the minority class; chosen so that its share is the printed one
SETS = {
    "Breast": ("wdbc.npz", (0,)),
    "Covtype": ("covtype.npz", (4,)),
    "Fourclass": ("fourclass.npz", (1,)),
    "German": ("german.data-numeric.gz", (2,)),
    "Ism": ("mammography.csv.gz", ("'1'",)),
    "Letter": ("letter.csv.gz", ("A",)),
    "Oil": ("oil_spill.csv.gz", ("1",)),
    "Page": ("page_blocks.csv.gz", ("2", "3", "4", "5")),
    "Pendigits": ("pendigits.csv.gz", ("7",)),
    "Phoneme": ("phoneme.csv.gz", ("1",)),
    "Pima": ("diabetes_pima.csv.gz", ("1",)),
    "Satimage": ("satimage.npz", (4,)),
    "Segment": ("segment.csv.gz", ("brickface",)),
    "Splice": ("splice_train.npz", (-1,)),
    "SVMguide": ("svmguide1.npz", (0,)),
}
MISSING = ("Boundary", "Cam", "Estate", "PhosS")
NOTE = (
    "Class definitions follow the printed counts: Covtype is class 4 against class 3 on the ten "
    "numeric features (38,501 rows, 7.1 %); Letter is A against the rest (3.9 %), not all vowels; "
    "Pendigits is the digit 7 (10.4 %) and Segment is brickface (14.3 %): other classes have the "
    "same counts, but not the printed leaves and AUCs. Phoneme has 5,404 rows here, 2,700 in the "
    "thesis. The thesis discretised its data sets first, we do not."
)
CLASS_FILES = {
    "Anneal": "anneal.csv.gz",
    "Balance-scale": None,
    "Glass": "glass.csv.gz",
    "Hypothyroid": "hypothyroid_weka.csv.gz",
    "Iris": None,
    "Letter": "letter.csv.gz",
    "Segment": "segment.csv.gz",
    "Vehicle": "vehicle.csv.gz",
    "Vowel": "vowel.csv.gz",
    "Waveform": "waveform5000.csv.gz",
    "Zoo": "zoo.csv.gz",
    "Fbis": "text_fbis.npz",
    "Oh5": "text_oh5.npz",
    "Re0": "text_re0.npz",
    "Tr23": "text_tr23.npz",
    "Wap": "text_wap.npz",
}
MISSING_CLASSES = ("Audiology", "Lymphography", "Primary-tumor", "Soybean")


def load_set(name, data=None):
    """X and the mask of the minority class."""
    file, minority = SETS[name]
    path = data_file(data, file)
    if file.endswith(".npz"):
        X, y = load_npz(path)
        if name == "SVMguide":
            n_train = int(np.load(path)["n_train"])
            X, y = X[:n_train], y[:n_train]
        if name == "Covtype":
            rows = np.isin(y, (3, 4))
            X, y = X[rows, :10], y[rows]
    elif file.endswith(".csv.gz"):
        table = pl.read_csv(path, infer_schema=False)
        y = table[table.columns[-1]].to_numpy()
        X = table.drop(table.columns[-1]).cast(pl.Float64).to_numpy()
    else:
        both = np.loadtxt(path)
        X, y = both[:, :-1], both[:, -1]
    return np.ascontiguousarray(X), np.isin(y, minority)


def load_classes(name, data=None):
    """X with coded categories and NaN for missing values, labels, and the mask of categories."""
    if name == "Iris":
        X, y = load_iris(return_X_y=True)
        return X, y, np.zeros(4, dtype=bool)
    if name == "Balance-scale":
        X = np.array(np.meshgrid(*[np.arange(1.0, 6.0)] * 4, indexing="ij")).reshape(4, -1).T
        return X, np.sign(X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]).astype(int), np.zeros(4, bool)
    path = data_file(data, CLASS_FILES[name])
    if path.suffix == ".npz":
        X, y = load_npz(path)
        return X.toarray(), y, np.zeros(X.shape[1], dtype=bool)
    table = pl.read_csv(path, infer_schema=False, null_values=["?"])
    y = table[table.columns[-1]].to_numpy()
    columns, category = [], []
    for column in table.columns[1 if name == "Zoo" else 0 : -1]:  # without the animal's name
        numbers = table[column].cast(pl.Float64, strict=False)
        category.append(numbers.null_count() > table[column].null_count())
        if category[-1]:
            values = sorted(table[column].drop_nulls().unique())
            codes = {value: k for k, value in enumerate(values)}
            numbers = table[column].replace_strict(codes, return_dtype=pl.Float64)
        columns.append(numbers.fill_null(np.nan).to_numpy())
    return np.column_stack(columns), y, np.array(category)
