import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';

const format = 1;
const bytes = z.array(z.number().int().nonnegative());
const point = z.object({ at: z.number(), bytes });

const head = z.object({
  format: z.literal(format),
  /** Bytes stand in this order; what is missing at the end is 0. */
  types: z.array(z.string()),
  everyMs: z.number().positive(),
  samples: z.array(point),
});
const line = z.object({ client: z.string(), points: z.array(point) });

export type KeptPoint = z.infer<typeof point>;
export type KeptHead = Omit<z.infer<typeof head>, 'format'>;
export type KeptClient = z.infer<typeof line>;

export interface KeptSizes {
  readonly head: KeptHead;
  readonly clients: Iterable<KeptClient>;
}

const linesAtOnce = 250;

/** Lines of JSON, deflated: what all clients held, then each client. Whole or not at all; rejects when it cannot be written. */
export async function writeSizeHistory(file: string, kept: KeptSizes): Promise<void> {
  const next = `${file}.new`;
  await pipeline(
    Readable.from(linesOf(kept)),
    createGzip({ level: 1 }),
    createWriteStream(next, { mode: 0o600 }),
  );
  await rename(next, file);
}

/** A part at a time, and others have their turn between them. */
function* linesOf({ head: told, clients }: KeptSizes): Generator<string> {
  let part = `${JSON.stringify({ format, ...told })}\n`;
  let count = 0;
  for (const client of clients) {
    part += `${JSON.stringify(client)}\n`;
    count += 1;
    if (count % linesAtOnce > 0) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}

/** Tells it line by line. Resolves to whether there is such a file; rejects when it is not what was written. */
export async function readSizeHistory(
  file: string,
  tell: { head(head: KeptHead): void; client(client: KeptClient): void },
): Promise<boolean> {
  if (!existsSync(file)) return false;
  let isHead = true;
  const take = (text: string): void => {
    if (isHead) tell.head(head.parse(JSON.parse(text)));
    else tell.client(line.parse(JSON.parse(text)));
    isHead = false;
  };
  await pipeline(createReadStream(file), createGunzip(), async (inflated: AsyncIterable<Buffer>) => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const part of inflated) {
      const lines = `${rest}${decoder.decode(part, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) take(text);
    }
    if (isHead || rest !== '') throw new Error('expected whole lines, got the begin of one');
  });
  return true;
}
