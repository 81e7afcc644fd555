const itemsPerChunk = 64;

/** {"items": [...]} of any length: written in chunks, as fast as they are read, so that nobody waits for all of it. */
export function streamItems(items: readonly unknown[]): Response {
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Others have their turn between two chunks.
      await new Promise((resolve) => setImmediate(resolve));
      const chunk = items.slice(next, next + itemsPerChunk).map((item) => JSON.stringify(item));
      const begin = next === 0 ? '{"items":[' : chunk.length > 0 ? ',' : '';
      next += itemsPerChunk;
      const isLast = next >= items.length;
      controller.enqueue(encoder.encode(`${begin}${chunk.join(',')}${isLast ? ']}' : ''}`));
      if (isLast) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } });
}
