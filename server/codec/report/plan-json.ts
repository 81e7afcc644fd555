import { CDS, findResourceType, LDS, messageNameOf, normaliseTypeUrl, SDS } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import { type Dump, type DumpItem, type DumpList, dumps, type ItemContext } from '../dump-lists';
import { isObject } from '../input/collect-json';
import { findTypeOfJson } from '../input/recognise-json';
import { readJsonMessage } from '../json/json-to-message';
import { showName } from '../json/show-value';
import { clientStatusOfType, dumpsOfFields } from '../per-xds-config';
import { messageType } from '../root';
import { type DocumentView, ScanError } from './document-view';
import { readClusterStatus } from './host-status-endpoints';
import {
  camelCase,
  dumpItemReader,
  type ElementGroup,
  explainUnread,
  JsonElement,
  ownReader,
  type ResponseFacts,
  readGeneric,
  resourceReader,
} from './json-elements';
import { PlannedReport, type ReportProblem, ranks } from './report-plan';

/** Deeper than this nobody nests containers; what is there is read as a whole, or told as a problem. */
const maxDepth = 20;
/** A resource that only its fields tell is looked for in a document, and in the members or elements of one. */
const guessedDepth = 1;
/** A node, a bootstrap. */
const largestPartBytes = 64 * 1024 * 1024;

const listsByName = new Map(
  [...dumps].flatMap(([container, dump]) => dump.lists.map((list) => [list.list, { container, dump, list }])),
);
const dumpOfField = new Map(dumpsOfFields);

/** ClientResourceStatus: ACKED, NACKED. */
const [acked, nacked] = [3, 4];

/** What Envoy holds it has accepted; a new listener that it refused is there with its error alone. */
const statusInDump =
  (isStatic: boolean) =>
  (item: DumpItem): number => {
    if (item.errorState) return nacked;
    return isStatic ? 0 : acked;
  };

const staticTypes: Readonly<Record<string, string>> = {
  clusters: CDS.typeUrl,
  listeners: LDS.typeUrl,
  secrets: SDS.typeUrl,
};

/** What the members of an object have told so far. */
interface Seen {
  /** It has a part of a container: there is no more to be found out about it. */
  isContainer: boolean;
  readonly facts: ResponseFacts;
}

/**
 * Finds what is to be read in JSON or YAML: containers are gone through in one go, their elements left for later. So
 * the whole of a large file is gone through once before anything of it is read.
 */
export class JsonPlanner {
  readonly reports: PlannedReport[] = [];
  readonly problems: ReportProblem[] = [];
  readonly kinds = new Set<string>();
  /** What belongs to no client of its own in the file: /clusters beside a /config_dump is of the same Envoy. */
  private own: PlannedReport | undefined;
  /** What a control plane sent. */
  private sent: PlannedReport | undefined;

  constructor(private readonly notation: 'JSON' | 'YAML' = 'JSON') {}

  /** Goes as far as the text makes sense; what came before a break stays. Returns false where it broke. */
  document(view: DocumentView, place: string): boolean {
    const before = this.problems.length;
    try {
      this.plan(view, place, '', undefined, 0);
      if (this.found().length === 0 && this.problems.length === before) {
        this.refuse(view, place, 'expected a document with xDS resources in it, found none');
      }
      return true;
    } catch (error) {
      if (!(error instanceof ScanError)) throw error;
      this.problems.push({
        place,
        offset: error.offset,
        reason: `no ${this.notation} from there on: ${error.message}`,
      });
      return false;
    }
  }

  /** What may be told: a client with nothing but a name is one as well. */
  found(): PlannedReport[] {
    return this.reports.filter(
      ({ elementCount, node, isTold }) => elementCount > 0 || node !== null || isTold,
    );
  }

  private ownReport(label: string): PlannedReport {
    this.own ??= this.newReport(label, 'client');
    return this.own;
  }

  private sentReport(): PlannedReport {
    this.sent ??= this.newReport('', 'control-plane');
    return this.sent;
  }

  /** A client that the document tells of by itself. */
  private newReport(label: string, side: PlannedReport['side']): PlannedReport {
    const report = new PlannedReport(label, side);
    this.reports.push(report);
    if (side === 'client') this.own ??= report;
    return report;
  }

  private plan(
    view: DocumentView,
    place: string,
    label: string,
    report: PlannedReport | undefined,
    depth: number,
  ): void {
    if (depth > maxDepth) {
      this.refuse(view, place, `nested deeper than ${maxDepth} levels`);
      return;
    }
    if (view.kind === 'list') {
      let index = 0;
      for (const item of view.items()) {
        this.plan(item, `${place}[${index}]`, label, report, depth + 1);
        index += 1;
      }
      return;
    }
    if (view.kind === 'other') {
      this.refuse(view, place, 'expected an object or a list');
      return;
    }
    this.object(view, place, label, report, depth);
  }

  private object(
    view: DocumentView,
    place: string,
    label: string,
    given: PlannedReport | undefined,
    depth: number,
  ): void {
    if (depth > maxDepth) {
      this.refuse(view, place, `nested deeper than ${maxDepth} levels`);
      return;
    }
    const seen: Seen = { isContainer: false, facts: { typeUrl: '', versionInfo: '' } };
    let type = '';
    let report = given;
    const rest: [string, DocumentView][] = [];
    for (const [key, value] of view.members()) {
      const at = place === '' ? showName(key) : `${place}.${showName(key)}`;
      const name = camelCase(key);
      if (key === '@type') {
        type = textOf(value);
        if (isResource(type)) {
          this.resource(view, place, report);
          return;
        }
        continue;
      }
      const list = listsByName.get(name);
      if (list !== undefined && value.kind === 'list') {
        this.kinds.add('Envoy config dump');
        this.dumpList(value, at, report ?? this.ownReport(label), list);
        seen.isContainer = true;
      } else if (name === 'configs' && value.kind === 'list') {
        report = this.newReport(label, 'client');
        this.kinds.add('Envoy config dump');
        this.configs(value, at, report, depth);
        seen.isContainer = true;
      } else if (name === 'config' && value.kind === 'list') {
        this.clientConfigs(value, at, depth);
        seen.isContainer = true;
      } else if (name === 'genericXdsConfigs' && value.kind === 'list') {
        report ??= this.newReport('', 'auto');
        this.list(value, report, ranks.rest, { place: at, read: readGeneric });
        seen.isContainer = true;
        this.kinds.add('CSDS answer');
      } else if (name === 'xdsConfig' && value.kind === 'list') {
        report ??= this.newReport('', 'auto');
        let index = 0;
        for (const item of value.items()) {
          this.perXdsConfig(item, `${at}[${index}]`, report);
          index += 1;
        }
        seen.isContainer = true;
        this.kinds.add('CSDS answer');
      } else if (name === 'resources' && value.kind === 'list') {
        this.kinds.add('DiscoveryResponse');
        this.responseResources(value, at, seen.facts, depth);
        seen.isContainer = true;
      } else if (name === 'clusterStatuses' && value.kind === 'list') {
        const target = report ?? this.ownReport(label);
        this.list(value, target, ranks.rest, { place: at, read: readClusterStatus });
        seen.isContainer = true;
        this.kinds.add('hosts of /clusters');
      } else if (name === 'staticResources' && value.kind === 'object') {
        report ??= this.ownReport(label);
        this.bootstrap(view, place, report);
        return;
      } else if (name === 'node' && value.kind === 'object') {
        rest.push([key, value]);
        if (report !== undefined) this.node(value, at, report);
      } else if (name === 'typeUrl') seen.facts.typeUrl = textOf(value);
      else if (name === 'versionInfo' || name === 'systemVersionInfo') seen.facts.versionInfo = textOf(value);
      else if (name === 'clientScope' && report !== undefined) report.scope = textOf(value);
      else rest.push([key, value]);
    }
    if (seen.isContainer) {
      const node = rest.find(([key]) => key === 'node');
      if (node !== undefined && report !== undefined && report.node === null)
        this.node(node[1], `${place}.node`, report);
      return;
    }
    this.other(view, place, label, report, depth, type, seen.facts, rest);
  }

  /** An object that is none of the containers. */
  private other(
    view: DocumentView,
    place: string,
    label: string,
    report: PlannedReport | undefined,
    depth: number,
    type: string,
    facts: ResponseFacts,
    rest: readonly (readonly [string, DocumentView])[],
  ): void {
    const keys = new Set(rest.map(([key]) => camelCase(key)));
    const own = ownMessages.find(({ has }) => has(keys, type));
    if (own !== undefined) {
      const target = report ?? this.ownReport(label);
      this.kinds.add(own.kind);
      const marks = { isStaticResource: true };
      this.one(view, target, ranks.rest, { place, read: ownReader(own.typeUrl, own.name, marks) });
      const node = rest.find(([key]) => key === 'node');
      if (node !== undefined && target.node === null) this.node(node[1], `${place}.node`, target);
      return;
    }
    const bootstrap = rest.find(([key]) => key === 'bootstrap')?.[1];
    if (bootstrap !== undefined && (report !== undefined || /\.BootstrapConfigDump$/.test(type))) {
      this.bootstrap(bootstrap, `${place}.bootstrap`, report ?? this.ownReport(label));
      return;
    }
    // An empty dump of a type has only its version.
    if (dumps.has(messageNameOf(type).split('.').at(-1) ?? '')) return;
    if (type !== '') {
      this.resource(view, place, report);
      return;
    }
    if (keys.has('nodeMatchers')) {
      this.refuse(view, place, 'a CSDS request: only the answer to it has resources');
      return;
    }
    if (report !== undefined && report.side === 'auto') return; // A client of which only its node is told.
    if (keys.has('nonce') || (facts.typeUrl !== '' && facts.versionInfo !== '')) {
      this.sentReport().isTold = true; // A DiscoveryResponse without resources.
      this.kinds.add('DiscoveryResponse');
      return;
    }
    if (depth <= guessedDepth && this.isBareResource(view)) {
      this.resource(view, place, report);
      return;
    }
    // A file of somebody's own: what is in it may be what it is about.
    const marks = { problems: this.problems.length, found: this.foundCount() };
    for (const [key, value] of rest) {
      const at = place === '' ? showName(key) : `${place}.${showName(key)}`;
      if (value.kind === 'object') this.object(value, at, showName(key), report, depth + 1);
      else if (value.kind === 'list') this.strangeList(value, at, showName(key), report, depth);
    }
    if (this.foundCount() > marks.found || rest.length === 0) return;
    // One problem for all that has nothing in it, not one for each leaf.
    this.problems.length = marks.problems;
    this.refuse(view, place, 'expected a document with xDS resources in it, found none');
  }

  private foundCount(): number {
    return this.reports.reduce((sum, report) => sum + report.elementCount + (report.isTold ? 1 : 0), 0);
  }

  /** A list in a file of somebody's own: of texts and numbers there is nothing to say. */
  private strangeList(
    view: DocumentView,
    place: string,
    label: string,
    report: PlannedReport | undefined,
    depth: number,
  ): void {
    let index = 0;
    for (const item of view.items()) {
      if (item.kind === 'object') this.object(item, `${place}[${index}]`, label, report, depth + 1);
      index += 1;
    }
  }

  private isBareResource(view: DocumentView): boolean {
    if (view.size() > largestPartBytes) return false;
    try {
      const json = view.value();
      return isObject(json) && findTypeOfJson(json) !== undefined;
    } catch {
      return false; // Told where its parts are read.
    }
  }

  private clientConfigs(view: DocumentView, place: string, depth: number): void {
    let index = 0;
    for (const item of view.items()) {
      this.object(item, `${place}[${index}]`, '', this.newReport('', 'auto'), depth + 1);
      index += 1;
    }
    this.kinds.add('CSDS answer');
  }

  /** Istio answers with clients where others answer with resources. */
  private responseResources(view: DocumentView, place: string, facts: ResponseFacts, depth: number): void {
    const group = { place, read: resourceReader(facts) };
    let index = 0;
    for (const item of view.items()) {
      if (/\.ClientConfig$/.test(firstType(item))) {
        this.object(item, `${place}[${index}]`, '', this.newReport('', 'auto'), depth + 1);
        this.kinds.add('CSDS answer');
      } else this.sentReport().add(ranks.rest, new JsonElement(group, index, item));
      index += 1;
    }
    if (index === 0) this.sentReport().isTold = true;
  }

  private resource(view: DocumentView, place: string, report: PlannedReport | undefined): void {
    this.kinds.add('resources');
    const read = resourceReader({ typeUrl: '', versionInfo: '' });
    this.one(view, report ?? this.sentReport(), ranks.rest, { place, read });
  }

  private configs(view: DocumentView, place: string, report: PlannedReport, depth: number): void {
    let index = 0;
    for (const item of view.items()) {
      const at = `${place}[${index}]`;
      if (item.kind === 'object') this.object(item, at, '', report, depth + 1);
      else this.refuse(item, at, 'expected an object with "@type"');
      index += 1;
    }
  }

  private dumpList(
    view: DocumentView,
    place: string,
    report: PlannedReport,
    { container, dump, list }: { container: string; dump: Dump; list: DumpList },
    context: ItemContext = { configStatus: 0, clientStatus: statusInDump(list.isStatic) },
  ): void {
    const read = dumpItemReader(dump, list, container, context);
    this.list(view, report, rankOf(container, list), { place, read });
  }

  /** One type's part of a CSDS answer; its statuses may stand behind its dump. */
  private perXdsConfig(view: DocumentView, place: string, report: PlannedReport): void {
    const type = { configStatus: 0, clientStatus: 0 };
    const context: ItemContext = {
      get configStatus() {
        return type.configStatus;
      },
      clientStatus: () => clientStatusOfType(type.clientStatus),
    };
    let told: Dump | undefined;
    let items = 0;
    for (const [key, value] of view.members()) {
      const name = camelCase(key);
      const container = dumpOfField.get(name);
      const dump = container === undefined ? undefined : dumps.get(container);
      if (name === 'status') type.configStatus = enumOf('status', value);
      else if (name === 'clientStatus') type.clientStatus = enumOf('clientStatus', value);
      else if (container !== undefined && dump !== undefined) {
        told = dump;
        for (const [inner, list] of value.members()) {
          const known = listsByName.get(camelCase(inner));
          if (known === undefined || known.container !== container || list.kind !== 'list') continue;
          const before = report.elementCount;
          this.dumpList(list, `${place}.${key}.${inner}`, report, known, context);
          items += report.elementCount - before;
        }
      }
    }
    if (told === undefined || items > 0 || (type.configStatus === 0 && type.clientStatus === 0)) return;
    // As in readPerXdsConfigs: the status of a whole type.
    const { typeUrl } = told;
    const whole = {
      typeUrl,
      name: '',
      configStatus: type.configStatus,
      clientStatus: context.clientStatus({}),
    };
    report.add(ranks.rest, { read: () => ({ messages: [whole], problems: [] }) });
  }

  /** Its node, itself as a row, and its static resources. */
  private bootstrap(view: DocumentView, place: string, report: PlannedReport): void {
    this.kinds.add('bootstrap');
    const at = (key: string): string => (place === '' ? key : `${place}.${key}`);
    const marks = { isStaticResource: true };
    for (const [key, value] of view.members()) {
      if (key === 'node') this.node(value, at(key), report);
      if (camelCase(key) !== 'staticResources') continue;
      for (const [kind, list] of value.members()) {
        const typeUrl = staticTypes[kind];
        if (typeUrl === undefined || list.kind !== 'list') continue;
        const read = resourceReader({ typeUrl, versionInfo: '' }, marks);
        this.list(list, report, ranks.bootstrap, { place: `${at(key)}.${kind}`, read });
      }
    }
    const read = ownReader('type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap', 'bootstrap', marks);
    // Problems in static resources are told with those.
    this.one(view, report, ranks.bootstrap, {
      place,
      read: (json, where) => {
        const { messages, problems } = read(json, where);
        return {
          messages,
          problems: problems.filter((each) => !/\bstatic_?[rR]esources\b/.test(each.place)),
        };
      },
    });
  }

  private node(view: DocumentView, place: string, report: PlannedReport): void {
    try {
      const { message, problems } = readJsonMessage(messageType(nodeType), view.value(), place);
      report.node = message ?? null;
      for (const { place: at, reason } of problems) {
        this.problems.push({ place: at, offset: view.offset ?? null, reason });
      }
    } catch (error) {
      if (error instanceof ScanError) throw error;
      this.refuse(view, place, explainUnread(error));
    }
  }

  private list(view: DocumentView, report: PlannedReport, rank: number, group: ElementGroup): void {
    let index = 0;
    for (const item of view.items()) {
      // One that has no end is told as such, and not as an element.
      item.size();
      report.add(rank, new JsonElement(group, index, item));
      index += 1;
    }
  }

  private one(view: DocumentView, report: PlannedReport, rank: number, group: ElementGroup): void {
    report.add(rank, new JsonElement(group, -1, view));
  }

  private refuse(view: DocumentView, place: string, reason: string): void {
    this.problems.push({ place, offset: view.offset ?? null, reason });
  }
}

const nodeType = 'envoy.config.core.v3.Node';
const admin = 'type.googleapis.com/envoy.admin.v3.';

/** Messages of Envoy's admin interface that hold no resources: each is a row of its own type. */
const ownMessages: readonly {
  readonly kind: string;
  readonly name: string;
  readonly typeUrl: string;
  readonly has: (keys: ReadonlySet<string>, type: string) => boolean;
}[] = [
  {
    kind: '/server_info',
    name: 'server_info',
    typeUrl: `${admin}ServerInfo`,
    has: (keys, type) => /\.ServerInfo$/.test(type) || (keys.has('commandLineOptions') && keys.has('state')),
  },
  {
    kind: '/certs',
    name: 'certs',
    typeUrl: `${admin}Certificates`,
    has: (keys, type) => /\.Certificates$/.test(type) || (keys.has('certificates') && keys.size === 1),
  },
  {
    kind: '/init_dump',
    name: 'init_dump',
    typeUrl: `${admin}UnreadyTargetsDumps`,
    has: (keys, type) => /\.UnreadyTargetsDumps$/.test(type) || keys.has('unreadyTargetsDumps'),
  },
];

function rankOf(container: string, { isWarming }: DumpList): number {
  if (isWarming) return ranks.warming;
  if (container === 'ListenersConfigDump') return ranks.listeners;
  return /^(?:Scoped)?RoutesConfigDump$/.test(container) ? ranks.routes : ranks.rest;
}

function isResource(type: string): boolean {
  if (type === '') return false;
  return (
    findResourceType(readTypeUrl(normaliseTypeUrl(type)).typeUrl) !== undefined || /\.Resource$/.test(type)
  );
}

/** "@type" is the first member, or nobody can rely on it without reading all. */
function firstType(view: DocumentView): string {
  for (const [key, value] of view.members()) return key === '@type' ? textOf(value) : '';
  return '';
}

function textOf(view: DocumentView): string {
  if (view.kind !== 'other') return '';
  const value = view.value();
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function enumOf(field: 'status' | 'clientStatus', view: DocumentView): number {
  const type = messageType('envoy.service.status.v3.PerXdsConfig');
  const read = readJsonMessage(type, { [field]: view.value() });
  const value: unknown = read.message === undefined ? 0 : Reflect.get(read.message, field);
  return typeof value === 'number' ? value : 0;
}
