import type { Cell } from './compare';
import { knownDifferences } from './known-differences';
import type { Flavor } from './peer';
import type { Vantage } from './xdscope';

/** A difference that was reviewed. */
export interface KnownDifference {
  /**
   * `unknown`: the vantage lacks the evidence, which `reason` names. `defect`: xdscope states something wrong.
   * `client`: the client's own report is wrong.
   */
  readonly kind: 'unknown' | 'defect' | 'client';
  readonly reason: string;
  /** Absent: of any. */
  readonly flavor?: Flavor;
  readonly peers?: RegExp;
  readonly servers?: RegExp;
  readonly vantages?: readonly Vantage[];
  readonly chapters?: RegExp;
  readonly moments?: RegExp;
  /** The client behaves so in some runs only: a whole run need not have such a cell. */
  readonly isOccasional?: boolean;
  /** "expected -> shown" of the cell, with the type before it: "CDS WARMING -> ACKED". */
  readonly differences: RegExp;
}

/** The facts that distinguish a cell beside its own fields. */
export interface CellContext {
  readonly flavor: Flavor;
  /** Name and version, as in "grpc-go 1.85.0". */
  readonly peer: string;
  /** Name of the control plane. */
  readonly server: string;
  readonly chapter: string;
  readonly moment: string;
  readonly cell: Cell;
  /** "CDS WARMING -> ACKED", or with versions where only these differ. */
  readonly difference: string;
}

export function findKnown({
  flavor,
  peer,
  server,
  chapter,
  moment,
  cell,
  difference,
}: CellContext): KnownDifference | undefined {
  return knownDifferences.find(
    (known) =>
      (known.flavor ?? flavor) === flavor &&
      (known.peers?.test(peer) ?? true) &&
      (known.servers?.test(server) ?? true) &&
      (known.vantages?.includes(cell.vantage) ?? true) &&
      (known.chapters?.test(chapter) ?? true) &&
      (known.moments?.test(moment) ?? true) &&
      known.differences.test(difference),
  );
}
