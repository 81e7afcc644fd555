import type { Side } from '@/lib/observation/observation';
import type { ResourceMessage } from '../resource-message';

/** What could not be read of a file, or was read in another way than it was written. Never shows text of the file. */
export interface ReportProblem {
  /** JSON path, '' for all of it. */
  readonly place: string;
  /** Byte of the document at which the part begins; null: not known. */
  readonly offset: number | null;
  readonly reason: string;
}

export interface ReadElement {
  readonly messages: readonly ResourceMessage[];
  readonly problems: readonly ReportProblem[];
}

/** A part of a document that is read by itself: what is wrong with it costs only itself. */
export interface ReportElement {
  /** JSON path; absent: not known. */
  readonly place?: string;
  /** Byte of the document at which it begins; null: not known. */
  readonly offset?: number | null;
  read(): ReadElement;
}

/** One client of a file, or what one control plane sent: who it is, and what is still to be read of it. */
export class PlannedReport {
  /** envoy.config.core.v3.Node, as protobufjs decodes it; null: not reported. */
  node: object | null = null;
  scope = '';
  /** It counts, even with nothing in it. */
  isReported = false;
  /** In the order in which they are read. */
  readonly #elements: { readonly rank: number; readonly element: ReportElement }[] = [];

  constructor(
    /** What the document calls it, where it has no node id. */
    readonly label: string,
    /** 'auto': the statuses state whether a client or a control plane reports. */
    readonly side: Side | 'auto',
  ) {}

  /** Lower ranks are read first. */
  add(rank: number, element: ReportElement): void {
    this.#elements.push({ rank, element });
  }

  get elementCount(): number {
    return this.#elements.length;
  }

  elements(): ReportElement[] {
    return this.#elements.sort((a, b) => a.rank - b.rank).map(({ element }) => element);
  }
}

/** What a picture begins with comes first; what repeats others comes last. */
export const ranks = {
  listeners: 0,
  routes: 1,
  /** Before what is in use, whose rows they become a part of. */
  warming: 2,
  rest: 3,
  /** Counts only where no dump reports the same. */
  bootstrap: 4,
} as const;

export interface ReportPlan {
  /** In words, as in "Envoy config dump". */
  readonly kinds: readonly string[];
  readonly format: 'json' | 'yaml' | 'text' | 'protobuf';
  readonly reports: readonly PlannedReport[];
  readonly problems: readonly ReportProblem[];
}
