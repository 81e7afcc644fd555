import * as z from 'zod';
import { assertVersion } from '../assert-version';
import { readJsonLines, writeJsonLines } from '../json-lines-file';

const version = 1;
const bytes = z.array(z.number().int().nonnegative());
const point = z.object({ at: z.number(), bytes });

const head = z.object({
  version: z.literal(version),
  /** Order of bytes; missing values at the end are 0. */
  types: z.array(z.string()),
  everyMs: z.number().positive(),
  samples: z.array(point),
});
const line = z.object({ client: z.string(), points: z.array(point) });

export type KeptPoint = z.infer<typeof point>;
type KeptHead = Omit<z.infer<typeof head>, 'version'>;
export type KeptClient = z.infer<typeof line>;

interface KeptSizes {
  readonly head: KeptHead;
  readonly clients: Iterable<KeptClient>;
}

/** Writes a line of JSON with the totals, and one for each client. Rejects if the file cannot be written. */
export async function writeSizeHistory(file: string, { head: reported, clients }: KeptSizes): Promise<void> {
  function* lines(): Generator<object> {
    yield { version, ...reported };
    yield* clients;
  }
  await writeJsonLines(file, lines());
}

/**
 * Passes the file on line by line. Resolves with false if there is none; rejects if it is damaged, and with a
 * ConfigError if it has another version.
 */
export async function readSizeHistory(
  file: string,
  visit: { head(head: KeptHead): void; client(client: KeptClient): void },
): Promise<boolean> {
  let isHead = true;
  return readJsonLines(file, (value) => {
    if (isHead) {
      assertVersion(file, version, z.looseObject({}).parse(value));
      visit.head(head.parse(value));
    } else visit.client(line.parse(value));
    isHead = false;
  });
}
