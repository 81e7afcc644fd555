import { by } from '@/lib/collections/compare';
import type { Side } from '@/lib/observation/observation';
import type { TypeVersion } from '@/lib/observation/resource-state';
import type { DumpList } from '../dump-lists';
import { camelCase } from '../json/camel-case';
import type { ResourceMessage } from '../resource-message';
import type { DocumentView } from './document-view';
import type { EndpointHealth } from './endpoint-health';
import type { HostReport } from './read-hosts';
import type { ListenerReport } from './read-listeners';

/** A part of a file that could not be read, or was not read as written. It quotes no text of the file. */
export interface ReportProblem {
  /** JSON path, '' for the whole document. */
  readonly place: string;
  /** Byte of the document at which the part begins; absent if unknown. */
  readonly offset?: number | undefined;
  readonly reason: string;
}

/** What an Envoy reports of its sockets and hosts, beside its resources. */
export interface ReportedSockets {
  readonly hosts: readonly HostReport[];
  readonly listeners: readonly ListenerReport[];
  readonly health: EndpointHealth;
}

export interface ReadElement {
  readonly messages: readonly ResourceMessage[];
  readonly problems: readonly ReportProblem[];
  readonly sockets?: ReportedSockets | undefined;
}

/** A part of a document that is read separately, so that its errors do not affect other parts. */
export interface ReportElement {
  /** JSON path, if known. */
  readonly place?: string;
  /** Byte of the document at which the element begins, null if unknown. */
  readonly offset?: number | undefined;
  read(): ReadElement;
}

/** Kinds of documents that only Envoy has. Others are paths of its admin interface. */
const partsOfEnvoy = new Map([
  ['Envoy config dump', 'there is a config dump, as only Envoy has'],
  ['bootstrap', 'there is a bootstrap with static_resources, dynamic_resources or admin, as only Envoy has'],
  ['hosts of /clusters', "there is an answer of Envoy's /clusters"],
  ['addresses of /listeners', "there is an answer of Envoy's /listeners"],
]);

/** A name that a delta response removes. */
interface PlannedRemoval {
  /** Its type is that which the response states. */
  readonly response: { readonly typeUrl: string };
  readonly name: string;
  /** The number of elements that the report had before. */
  readonly after: number;
}

/** A client of a file, or the resources that one control plane sent. */
export class PlannedReport {
  /** envoy.config.core.v3.Node as protobufjs decodes it; null if not reported. */
  node: object | null = null;
  scope = '';
  /** True for a report that is kept without elements. */
  isReported = false;
  /** Responses without resources, by the type that each states; empty if it states none. */
  readonly emptyResponses: { readonly typeUrl: string }[] = [];
  readonly removals: PlannedRemoval[] = [];
  /** Versions of dumps of a type, as in ClustersConfigDump.version_info. */
  readonly typeVersions: TypeVersion[] = [];
  readonly #elements: { readonly rank: number; readonly element: ReportElement }[] = [];

  /** The name in the document, for a client without a node id. */
  label = '';
  /** A part of the document that only Envoy has, as a sentence without a full stop; empty if there is none. */
  partOfEnvoy = '';

  readonly #side: Side | 'auto';
  #isWrittenBy: 'envoy' | 'control-plane' | undefined;

  /** 'auto' if the statuses decide whether a client or a control plane reports. */
  constructor(side: Side | 'auto') {
    this.#side = side;
  }

  get side(): Side | 'auto' {
    return this.#side === 'client' && this.#isWrittenBy === 'control-plane' ? 'control-plane' : this.#side;
  }

  /**
   * Notes who wrote a list of a config dump. Envoy writes the names of the fields with underscores, and when each resource was
   * updated (ClustersConfigDump.DynamicCluster.last_updated), but not of endpoints; tools that print its dump may change the
   * names. The dumps of istiod (/debug/config_dump) and Envoy Gateway (egctl) have the form of Go's protojson, and no times.
   */
  noteDumpList(name: string, { list, isStatic }: DumpList, view: DocumentView): void {
    const isOfEnvoy = name.includes('_') || isStatic;
    for (const [, first] of isOfEnvoy ? [] : view.items()) {
      const hasNoTimes = list === 'dynamicEndpointConfigs' || list === 'ecdsFilters';
      if (!hasNoTimes) this.#isWrittenBy ??= hasTime(first) ? 'envoy' : 'control-plane';
      break;
    }
    if (isOfEnvoy) this.#isWrittenBy = 'envoy';
  }

  /** Elements with lower ranks are read first. */
  add(rank: number, element: ReportElement): void {
    this.#elements.push({ rank, element });
  }

  /** `response` may be completed later. */
  remove(response: PlannedRemoval['response'], names: Iterable<string>): void {
    for (const name of names) this.removals.push({ response, name, after: this.elementCount });
  }

  /** Takes over what another part of the same client has. */
  join(part: PlannedReport): void {
    this.node ??= part.node;
    this.partOfEnvoy ||= part.partOfEnvoy;
    this.typeVersions.push(...part.typeVersions);
    for (const each of part.#elements) this.#elements.push(each);
  }

  get elementCount(): number {
    return this.#elements.length;
  }

  /** Notes a part that only Envoy has, by the kind of the document. */
  noteEnvoy(kind: string): void {
    if (kind === 'hosts of /clusters') this.#isWrittenBy = 'envoy';
    this.partOfEnvoy ||= partsOfEnvoy.get(kind) ?? `there is an answer of Envoy's ${kind}`;
  }

  /** False if nothing but listening sockets is reported. */
  get hasContent(): boolean {
    return this.#elements.some(({ rank }) => rank !== ranks.sockets);
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
  /** The hosts of /clusters have the health that EDS set, which the endpoints in a dump lack. */
  hosts: 3,
  rest: 4,
  /** A resource that is also in a dump is ignored. */
  bootstrap: 5,
  sockets: 6,
} as const;

export interface ReportPlan {
  readonly kinds: readonly string[];
  /** 'lines': the text form of Envoy's admin interface. */
  readonly format: 'json' | 'yaml' | 'text' | 'protobuf' | 'lines';
  readonly reports: readonly PlannedReport[];
  readonly problems: readonly ReportProblem[];
}

/** `item`: of a list of a dump. A listener has a member for each of its states. */
function hasTime(item: DocumentView): boolean {
  for (const [key, value] of item.members()) {
    if (camelCase(key) === 'lastUpdated') return true;
    if (key.endsWith('State') && hasTime(value)) return true;
  }
  return false;
}
