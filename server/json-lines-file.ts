import { createReadStream, existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { streamFileAtomically } from './atomic-write';

const linesAtOnce = 250;

/** Writes one JSON text per line, deflated, completely or not at all. Rejects if writing fails. */
export async function writeJsonLines(file: string, values: Iterable<unknown>): Promise<void> {
  await streamFileAtomically(file, Readable.from(linesOf(values)), createGzip({ level: 1 }));
}

/** Yields a part at a time, so that other work runs in between. */
function* linesOf(values: Iterable<unknown>): Generator<string> {
  let part = '';
  let count = 0;
  for (const value of values) {
    part += `${JSON.stringify(value)}\n`;
    count += 1;
    if (count % linesAtOnce > 0) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}

/**
 * Passes the values on in their order. Resolves to whether the file exists; rejects if it does not have at
 * least one line and only complete ones, or if `take` throws.
 */
export async function readJsonLines(file: string, take: (value: unknown) => void): Promise<boolean> {
  if (!existsSync(file)) return false;
  let isEmpty = true;
  let failure: { readonly cause: unknown } | undefined;
  const reading = pipeline(
    createReadStream(file),
    createGunzip(),
    async (inflated: AsyncIterable<Buffer>) => {
      const decoder = new TextDecoder();
      let rest = '';
      for await (const part of inflated) {
        const lines = `${rest}${decoder.decode(part, { stream: true })}`.split('\n');
        rest = lines.pop() ?? '';
        try {
          for (const text of lines) take(JSON.parse(text));
        } catch (cause) {
          failure = { cause };
          throw cause;
        }
        isEmpty &&= lines.length === 0;
      }
      if (isEmpty || rest !== '') throw new Error('expected whole lines, got the begin of one');
    },
  );
  await reading.catch((error: unknown) => {
    // The pipeline rejects with the abort of its streams if that comes first.
    throw failure === undefined ? error : failure.cause;
  });
  return true;
}
