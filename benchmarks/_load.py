"""Send requests to a service from a process of its own and print what it took, as JSON.

python -m benchmarks._load PLAN.json, a file with port, path, bodies, connections and rate.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

import uvloop

HEAD = "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


async def client(port, messages, seconds, begin):
    """Send messages one after the other; each is (bytes, when it is due or None)."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await begin.wait()
    for message, due in messages:
        if due is not None:
            await asyncio.sleep(max(0.0, due + begin.at - time.perf_counter()))
        start = time.perf_counter() if due is None else due + begin.at
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"The service answered {head!r}.")
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        await reader.readexactly(size)
        seconds.append(time.perf_counter() - start)  # from when it was due: waiting counts
    writer.close()


async def main(port, path, bodies, connections, rate):
    messages = []
    for i, body in enumerate(bodies):
        head = HEAD.format(path=path) + f"Content-Length: {len(body.encode())}\r\n\r\n"
        messages.append(((head + body).encode(), None if rate is None else i / rate))
    seconds, begin = [], asyncio.Event()
    clients = [
        asyncio.create_task(client(port, messages[k::connections], seconds, begin))
        for k in range(connections)
    ]
    await asyncio.sleep(0.2)
    begin.at = time.perf_counter()
    begin.set()
    await asyncio.gather(*clients)
    print(json.dumps({"seconds": seconds, "elapsed": time.perf_counter() - begin.at}))


if __name__ == "__main__":
    uvloop.run(main(**json.loads(Path(sys.argv[1]).read_text())))
