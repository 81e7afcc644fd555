import { type DiffLine, diffLines } from '@/lib/diff/diff-lines';
import { diffValues } from '@/lib/diff/diff-values';
import { endpointsOfDump } from '@/lib/diff/endpoints-of-dump';
import { FactFinder } from '@/lib/diff/field-facts';
import type { DiffTotals, ValueDiff } from '@/lib/diff/value-diff';
import { buildDiffRows, type DiffRows } from '@/lib/views/compare/build-diff-rows';
import type { BodyOutcome } from '@/lib/views/compare/diff-item';
import { messageNameOf } from '@/lib/xds/resource-type';
import { decodeBody } from '../../codec/decode-body';
import { findMessageShape } from '../../codec/message-shapes';
import { findMessageType } from '../../codec/root';

export interface BodyPair {
  readonly typeUrl: string;
  readonly left: Uint8Array;
  readonly right: Uint8Array;
  /** See HashPair. */
  readonly isOfDump?: true;
}

export interface BodyTree extends DiffRows {
  readonly totals: DiffTotals;
}

/** Number of lines that a list shows of each resource. */
const linesKept = 3;
const nothing: DiffTotals = { changes: 0, reordered: 0, notation: 0 };

/** Compares bodies, and caches types. */
export class DiffBuilder {
  readonly #finder = new FactFinder(findMessageShape);

  tree(pair: BodyPair, limit: number): BodyTree {
    const diff = this.#diff(pair);
    return { ...buildDiffRows(diff, limit), totals: diff?.totals ?? nothing };
  }

  outcome(pair: BodyPair): BodyOutcome {
    const diff = this.#diff(pair);
    return { totals: diff?.totals ?? nothing, lines: firstOf(diffLines(diff)) };
  }

  #diff({ typeUrl, left, right, isOfDump }: BodyPair): ValueDiff | null {
    const message = findMessageType(typeUrl)?.fullName.slice(1) ?? messageNameOf(typeUrl);
    const read = (bytes: Uint8Array): unknown => {
      const { json } = decodeBody(typeUrl, bytes, { asV3: true });
      return isOfDump ? endpointsOfDump(json) : json;
    };
    return diffValues(this.#finder, read(left), read(right), message);
  }
}

function firstOf(lines: Iterable<DiffLine>): DiffLine[] {
  const first: DiffLine[] = [];
  for (const line of lines) if (first.push(line) === linesKept) break;
  return first;
}
