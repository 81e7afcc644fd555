import * as z from 'zod';
import type { NumberedSeries } from '@/lib/load/load-excerpt';
import { numberedSeries } from '@/lib/load/load-schemas';
import { LoadBlockWriter, readLoadValues } from '@/server/live/load/load-block';

/** A part of the load of the range, see LoadExcerpt. A series is in the file once, before its first values. */
export interface FileLoad {
  readonly series: readonly NumberedSeries[];
  readonly values: Uint8Array;
}

const latest = 8.64e15;

/** A line of JSON with `series`, and `values` of server/live/load/load-block.ts in base64. */
export const fileLoad = z
  .object({ series: numberedSeries, values: z.base64() })
  .transform(({ series: reported, values: text }, context): FileLoad => {
    const values = Buffer.from(text, 'base64');
    try {
      readLoadValues(values, (_, __, { at }) => {
        if (!(Math.abs(at) <= latest)) throw new RangeError(`expected a time, got ${at}`);
      });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      context.addIssue({ code: 'custom', message: `values: ${error.message}` });
      return z.NEVER;
    }
    return { series: reported, values };
  });

export function encodeFileLoad({ series: reported, values }: FileLoad): object {
  return { series: reported, values: Buffer.from(values).toString('base64') };
}

/** Splits load into parts of at most `most` values. */
export function* splitFileLoad({ series: reported, values }: FileLoad, most: number): Generator<FileLoad> {
  const parts: LoadBlockWriter[] = [];
  readLoadValues(values, (seriesId, kind, each) => {
    let writer = parts.at(-1);
    if (writer === undefined || writer.count >= most) {
      writer = new LoadBlockWriter();
      parts.push(writer);
    }
    writer.add(seriesId, kind, each);
  });
  for (const [index, writer] of parts.entries()) {
    yield { series: index === 0 ? reported : [], values: writer.finish() };
  }
}
