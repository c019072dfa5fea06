"""Charges an order at the bank, then marks it paid. Two databases, so no commit holds both."""
import os
import sqlite3
import sys
from pathlib import Path

from boundary import boundary


def connect(name):
    Path("data").mkdir(exist_ok=True)
    return sqlite3.connect(f"data/{name}.sqlite", isolation_level=None)


def init():
    connect("orders").execute("CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT NOT NULL)")
    connect("bank").execute(
        "CREATE TABLE charges (id INTEGER PRIMARY KEY, order_id TEXT NOT NULL, key TEXT UNIQUE, cents INTEGER NOT NULL)"
    )


def charge(order):
    """The bank. With a receipt it knows the order by its key and charges it once."""
    key = order if os.environ["MODE"] == "receipt" else None
    connect("bank").execute(
        "INSERT INTO charges (order_id, key, cents) VALUES (?, ?, 4200) ON CONFLICT (key) DO NOTHING",
        (order, key),
    )


def submit(order):
    orders = connect("orders")
    orders.execute("INSERT INTO orders VALUES (?, 'pending') ON CONFLICT (id) DO NOTHING", (order,))
    boundary("after-intent")
    (status,) = orders.execute("SELECT status FROM orders WHERE id = ?", (order,)).fetchone()
    if status == "paid":
        return
    boundary("before-charge")
    charge(order)
    boundary("after-charge")
    orders.execute("UPDATE orders SET status = 'paid' WHERE id = ?", (order,))
    boundary("after-record")


if __name__ == "__main__":
    init() if sys.argv[1] == "init" else submit(sys.argv[2])
