"""Finite games as trees: backward induction, contingency plans, normal form, equilibria."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from stakes._core.plotting import open_axes
from stakes._core.words import shown
from stakes.game._nash import Nash, best_commitment, extreme_equilibria, pure_equilibria

_CUT = dict(color="0.65", linestyle="--", linewidth=1.0)
_KEPT = dict(color="#1f4e79", linestyle="-", linewidth=2.0)


@dataclass(frozen=True)
class Decision:
    """Node of a game tree at which one player chooses.

    Parameters
    ----------
    player : str
        Player who chooses.
    actions : dict
        What each action leads to: another `Decision`, or the payoffs of all players.
    information : str, default=None
        Name of the information set: the player cannot distinguish nodes with the same name.
        None: the player knows the node.
    """

    player: str
    actions: dict
    information: str | None = None


@dataclass(frozen=True)
class Rollback:
    """Outcome of backward induction.

    Attributes
    ----------
    path : tuple of str
        Actions that are played.
    payoffs : tuple of float
        Payoffs, in the order of the players.
    plans : dict
        Action of each player at every node, including those that are never reached.
    pruned : list of tuple
        Pruned branches, as histories of actions, deepest first.
    tied : list of tuple
        Histories at which the player was indifferent and the tie rule decided.
    """

    path: tuple
    payoffs: tuple
    plans: dict
    pruned: list
    tied: list


class FiniteGame:
    """Game tree with payoffs.

    Parameters
    ----------
    root : Decision
        First move.
    players : sequence of str
        Players, in the order of the payoffs at the leaves.

    Notes
    -----
    Tie rule of the rollback: an indifferent player takes the action that is listed first; the
    result lists where that happened.

    References
    ----------
    .. [1] W. Liu. "Learning from Imbalanced and Adversarial Data", thesis, Section 2.3.
    .. [2] D. Avis, G. Rosenberg, R. Savani, B. von Stengel. "Enumeration of Nash equilibria for
       two-player games". Economic Theory 42, 2010.

    Examples
    --------
    >>> game = spammer_game()
    >>> found = game.rollback()
    >>> found.path, found.payoffs
    (('status quo', 'status quo'), (3, 4))
    >>> found.plans["data miner"]
    {('attack',): 'retrain', ('status quo',): 'status quo'}
    >>> len(game.plans("data miner"))
    4
    >>> print(game)
    spammer
      attack: data miner  [cut]
        retrain: (2, 2)
        status quo: (4, 1)  [cut]
      status quo: data miner
        retrain: (1, 3)  [cut]
        status quo: (3, 4)
    """

    def __init__(self, root, players):
        self.root, self.players = root, tuple(players)
        self._nodes = dict(_walk(root, ()))
        owners = {}
        for history, node in self._nodes.items():
            self._check(history, node)
            if owners.setdefault(self._set_of(history), node.player) != node.player:
                raise ValueError(f"Information set {node.information!r} belongs to two players.")

    @classmethod
    def from_matrices(cls, first, second, players, first_actions, second_actions):
        """Build a game of two players who move simultaneously.

        Parameters
        ----------
        first, second : array-like of shape (m, n)
            Payoffs of the row and the column player.
        players : sequence of two str
            Names of the players.
        first_actions, second_actions : sequence of str
            Names of the m rows and n columns.

        Examples
        --------
        >>> pennies = matching_pennies()
        >>> found = pennies.nash()
        >>> len(found), found[0].strategies[0].round(3)
        (1, array([0.5, 0.5]))
        """
        A, B = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
        rows = {}
        for i, row in enumerate(first_actions):
            cells = {c: (float(A[i, j]), float(B[i, j])) for j, c in enumerate(second_actions)}
            rows[row] = Decision(players[1], cells, information="does not see the other move")
        return cls(Decision(players[0], rows), players)

    def rollback(self):
        """Solve by backward induction, from the leaves to the root.

        Returns
        -------
        Rollback
        """
        if any(node.information is not None for node in self._nodes.values()):
            raise ValueError(
                "Rollback needs perfect information; this game has hidden moves. Use nash() "
                "instead."
            )
        plans = {player: {} for player in self.players}
        pruned, tied = [], []

        def value(node, history):
            if not isinstance(node, Decision):
                return node, ()
            mine = self.players.index(node.player)
            ends = {a: value(child, (*history, a)) for a, child in node.actions.items()}
            best = max(ends, key=lambda action: ends[action][0][mine])
            top = ends[best][0][mine]
            if sum(end[0][mine] == top for end in ends.values()) > 1:
                tied.append(history)
            plans[node.player][history] = best
            pruned.extend((*history, action) for action in ends if action != best)
            return ends[best][0], (best, *ends[best][1])

        payoffs, path = value(self.root, ())
        for player in self.players:
            plans[player] = {h: plans[player][h] for h in self._nodes if h in plans[player]}
        return Rollback(path, tuple(payoffs), plans, pruned, tied)

    def plans(self, player):
        """All contingency plans of a player: one action for each of its information sets.

        Parameters
        ----------
        player : str
            Name of the player.

        Returns
        -------
        list of dict
        """
        sets = {
            self._set_of(history): list(node.actions)
            for history, node in self._nodes.items()
            if node.player == player
        }
        return [dict(zip(sets, chosen, strict=True)) for chosen in product(*sets.values())]

    def normal_form(self):
        """Payoffs of every combination of plans.

        Returns
        -------
        plans : list of list of dict
            Plans of each player.
        payoffs : ndarray of shape (number of players, number of plans of each player...)
        """
        plans = [self.plans(player) for player in self.players]
        shape = tuple(len(own) for own in plans)
        payoffs = np.empty((len(self.players), *shape))
        for index in np.ndindex(shape):
            profile = {p: plans[k][index[k]] for k, p in enumerate(self.players)}
            payoffs[(slice(None), *index)] = self._outcome(profile)
        return plans, payoffs

    def nash(self):
        """Nash equilibria of the normal form.

        Two players: all extreme equilibria, pure and mixed (any other is a mixture of these);
        more players: only the pure ones.

        Returns
        -------
        list of Nash
        """
        _, payoffs = self.normal_form()
        if len(self.players) == 2:
            return extreme_equilibria(*payoffs)
        return [
            Nash(
                tuple(np.eye(n)[k] for k, n in zip(index, payoffs.shape[1:], strict=True)),
                tuple(payoffs[(slice(None), *index)].tolist()),
            )
            for index in pure_equilibria(payoffs)
        ]

    def commitment(self, leader=None):
        """Mixed strategy to which a leader best commits in public, and the reply to it.

        Parameters
        ----------
        leader : str, default=None
            Player that commits; None: the first.

        Returns
        -------
        Nash
            Strategies and payoffs in the order of the players.

        Examples
        --------
        >>> matching_pennies().commitment().strategies[0].round(2)
        array([0.5, 0.5])
        """
        if len(self.players) != 2:
            raise ValueError(f"A commitment needs two players. Got {len(self.players)} instead.")
        leader = self.players[0] if leader is None else leader
        if leader not in self.players:
            raise ValueError(
                f"leader={shown(leader)} is not one of the players {list(self.players)}."
            )
        first, second = self.normal_form()[1]
        if leader == self.players[0]:
            return best_commitment(first, second)
        found = best_commitment(second.T, first.T)
        return Nash(found.strategies[::-1], found.payoffs[::-1])

    def draw(self, ax=None):
        """Draw the tree; branches that rollback prunes are dashed.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None: new ones.

        Returns
        -------
        matplotlib Axes
        """
        cut = self._cut()
        _, ax = open_axes(ax)
        next_leaf = iter(range(10**6))
        places = {}

        def place(node, history):
            if not isinstance(node, Decision):
                height = -float(next(next_leaf))
            else:
                children = [place(child, (*history, a)) for a, child in node.actions.items()]
                height = sum(children) / len(children)
            places[history] = (float(len(history)), height, node)
            return height

        place(self.root, ())
        for history, (x, y, node) in places.items():
            if history:
                x0, y0, _ = places[history[:-1]]
                style = _CUT if any(history[: k + 1] in cut for k in range(len(history))) else _KEPT
                ax.plot([x0, x], [y0, y], zorder=1, **style)
                ax.text((x0 + x) / 2, (y0 + y) / 2, history[-1], ha="center", va="bottom")
            if isinstance(node, Decision):
                box = dict(boxstyle="round", facecolor="white", edgecolor=_KEPT["color"])
                ax.text(x, y, node.player, ha="center", va="center", bbox=box, zorder=2)
            else:
                payoffs = ", ".join(f"{value:g}" for value in node)
                ax.text(x + 0.05, y, payoffs, ha="left", va="center")
        ax.set_axis_off()
        ax.margins(x=0.15, y=0.15)
        return ax

    def __str__(self):
        cut, lines = self._cut(), []

        def write(node, history):
            text = node.player if isinstance(node, Decision) else str(tuple(node))
            name = f"{history[-1]}: " if history else ""
            mark = "  [cut]" if history in cut else ""
            lines.append("  " * len(history) + name + text + mark)
            if isinstance(node, Decision):
                for action, child in node.actions.items():
                    write(child, (*history, action))

        write(self.root, ())
        return "\n".join(lines)

    def _cut(self):
        if any(node.information is not None for node in self._nodes.values()):
            return set()
        return set(self.rollback().pruned)

    def _set_of(self, history):
        node = self._nodes[history]
        return history if node.information is None else node.information

    def _outcome(self, profile):
        node, history = self.root, ()
        while isinstance(node, Decision):
            action = profile[node.player][self._set_of(history)]
            node, history = node.actions[action], (*history, action)
        return node

    def _check(self, history, node):
        where = " then ".join(history) or "the root"
        if node.player not in self.players:
            raise ValueError(f"{node.player!r} moves at {where} but is not in players.")
        if not node.actions:
            raise ValueError(f"{node.player!r} has no action at {where}.")
        for action, child in node.actions.items():
            if not isinstance(child, Decision) and len(child) != len(self.players):
                raise ValueError(
                    f"{shown(action)} at {where} must end in {len(self.players)} payoffs. "
                    f"Got {len(child)} instead."
                )


def spammer_game():
    """Game of Section 2.3.3: a spammer attacks or not, then a data miner retrains or not."""
    return FiniteGame(
        Decision(
            "spammer",
            {
                "attack": Decision("data miner", {"retrain": (2, 2), "status quo": (4, 1)}),
                "status quo": Decision("data miner", {"retrain": (1, 3), "status quo": (3, 4)}),
            },
        ),
        ("spammer", "data miner"),
    )


def matching_pennies():
    """Zero-sum game of Table 2.2."""
    first = [[1, -1], [-1, 1]]
    sides = ("heads", "tails")
    return FiniteGame.from_matrices(first, -np.array(first), ("player 1", "player 2"), sides, sides)


def _walk(node, history):
    if isinstance(node, Decision):
        yield history, node
        for action, child in node.actions.items():
            yield from _walk(child, (*history, action))
