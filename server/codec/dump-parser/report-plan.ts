import { by } from '@/lib/collections/compare';
import type { Side } from '@/lib/observation/observation';
import type { TypeVersion } from '@/lib/observation/resource-state';
import type { ResourceMessage } from '../resource-message';

/** A part of a file that could not be read, or was not read as written. It quotes no text of the file. */
export interface ReportProblem {
  /** JSON path, '' for the whole document. */
  readonly place: string;
  /** Byte of the document at which the part begins; absent if unknown. */
  readonly offset?: number | undefined;
  readonly reason: string;
}

export interface ReadElement {
  readonly messages: readonly ResourceMessage[];
  readonly problems: readonly ReportProblem[];
}

/** A part of a document that is read separately, so that its errors do not affect other parts. */
export interface ReportElement {
  /** JSON path, if known. */
  readonly place?: string;
  /** Byte of the document at which the element begins, null if unknown. */
  readonly offset?: number | undefined;
  read(): ReadElement;
}

/** A client of a file, or the resources that one control plane sent. */
export class PlannedReport {
  /** envoy.config.core.v3.Node as protobufjs decodes it; null if not reported. */
  node: object | null = null;
  scope = '';
  /** True for a report that is kept without elements. */
  isReported = false;
  /** Versions of dumps of a type, as in ClustersConfigDump.version_info. */
  readonly typeVersions: TypeVersion[] = [];
  readonly #elements: { readonly rank: number; readonly element: ReportElement }[] = [];

  constructor(
    /** The name in the document, for a client without a node id. */
    readonly label: string,
    /** 'auto' if the statuses decide whether a client or a control plane reports. */
    readonly side: Side | 'auto',
  ) {}

  /** Elements with lower ranks are read first. */
  add(rank: number, element: ReportElement): void {
    this.#elements.push({ rank, element });
  }

  get elementCount(): number {
    return this.#elements.length;
  }

  elements(): ReportElement[] {
    return this.#elements.sort(by(({ rank }) => rank)).map(({ element }) => element);
  }
}

/** Listeners, with which the graph begins, are first; repetitions are last. */
export const ranks = {
  listeners: 0,
  routes: 1,
  /** Warming versions precede the active versions, whose rows they become part of. */
  warming: 2,
  rest: 3,
  /** A resource that is also in a dump is ignored. */
  bootstrap: 4,
} as const;

export interface ReportPlan {
  readonly kinds: readonly string[];
  readonly format: 'json' | 'yaml' | 'text' | 'protobuf';
  readonly reports: readonly PlannedReport[];
  readonly problems: readonly ReportProblem[];
}
