import { messageNameOf } from '@/lib/xds/resource-type';
import { levelsExceeded, mostMembers, NestingError } from '../document-nesting';
import { dumps } from '../dump-lists';
import { findContainerType } from '../input/containers';
import { isBootstrap } from '../input/recognise-json';
import { camelCase } from '../json/camel-case';
import { showName } from '../json/show-value';
import { adminMessages } from './admin-messages';
import { readClusterStatus, readListenerStatus } from './admin-sockets';
import { isBareResource, type Notation } from './bare-resource';
import { DocumentScope } from './document-scope';
import type { DocumentView } from './document-view';
import { firstType, isResource, ScanError, textOf } from './document-view';
import {
  rejectionOfList,
  rejectionOfListeners,
  rejectionOfObject,
  rejectionOfRequest,
} from './explain-unknown-document';
import type { ResponseFacts } from './json-elements';
import { findListOfItems, JsonElement, ownReader, readGeneric, resourceReader } from './json-elements';
import { listsByName, ReportFiller } from './report-filler';
import type { PlannedReport, ReportPlan, ReportProblem } from './report-plan';
import { ranks } from './report-plan';

/** Containers are searched for down to this depth. */
const maxDepth = 20;
/** A resource without "@type" is recognised by its fields only in a document, and in the members or elements of one. */
const guessedDepth = 1;

interface Seen {
  /** A member is part of a container, so the object is not a resource. */
  isContainer: boolean;
  readonly facts: ResponseFacts;
}

export interface PlanOptions {
  /** Type URL or full name of the document, or of each element of a list, if neither states its type. */
  readonly typeUrl?: string | undefined;
  /** Called with the report after each element of a list that was found in JSON. */
  readonly onElement?: ((report: PlannedReport) => void) | undefined;
  /** Other documents have more of the same client, so that one may be enough of it that is nothing alone. */
  readonly isPart?: boolean;
}

/** Finds reports in JSON or YAML. The document is scanned once for containers; elements are parsed later. */
export class JsonPlanner {
  readonly #notation: Notation;
  readonly #typeUrl: string;
  readonly #isPart: boolean;

  /** The scope of documents that follow each other. */
  readonly #root = new DocumentScope();
  /** There is an answer of /listeners, which is not enough for a client. */
  #hasListeners = false;

  readonly #filler: ReportFiller;

  constructor(
    notation: Notation,
    /** Type URL or full name of the document, or of each element if it is a list; empty if not known. */
    typeUrl = '',
    { onElement, isPart = false }: Pick<PlanOptions, 'onElement' | 'isPart'> = {},
  ) {
    this.#notation = notation;
    this.#typeUrl = typeUrl;
    this.#isPart = isPart;

    this.#filler = new ReportFiller(onElement);
  }

  finish(format: ReportPlan['format']): ReportPlan {
    const reports = this.#found();
    this.#root.label(reports);
    return { kinds: [...this.#filler.kinds], format, reports, problems: this.#problems };
  }

  get #problems(): ReportProblem[] {
    return this.#filler.problems;
  }

  /** Scans up to the first syntax error, and keeps what was found before. Returns false at a syntax error. */
  document(view: DocumentView, place: string): boolean {
    const before = this.#problems.length;
    try {
      this.#plan(view, { place, scope: this.#root, around: this.#root, depth: 0, isItem: true });
      if (this.#found().length === 0 && this.#problems.length === before) {
        this.#filler.reject(
          view,
          place,
          this.#hasListeners
            ? rejectionOfListeners
            : view.kind === 'list'
              ? rejectionOfList([])
              : rejectionOfObject(new Set()),
        );
      }
      return true;
    } catch (error) {
      if (!(error instanceof ScanError)) throw error;
      this.#problems.push({
        place,
        offset: error.offset,
        reason: error.isTruncated
          ? `the ${this.#notation} is truncated: ${error.message}`
          : `no ${this.#notation} from there on: ${error.message}`,
      });
      return false;
    }
  }

  /** A client that has nothing except a node is included. */
  #found(): PlannedReport[] {
    return this.#root.reports.filter(
      ({ hasContent, elementCount, node, isReported }) =>
        hasContent || node !== null || isReported || (this.#isPart && elementCount > 0),
    );
  }

  #plan(view: DocumentView, at: Position): void {
    const { place, depth } = at;
    if (depth > maxDepth) {
      this.#filler.exceed(view, place, levelsExceeded(maxDepth), 'depth');
      return;
    }
    if (view.kind === 'list') {
      const marks = { problems: this.#problems.length, found: this.#foundCount() };
      let count = 0;
      for (const [index, item] of view.items()) {
        this.#plan(item, itemOf(at, index));
        count += 1;
      }
      const reported = this.#problems.slice(marks.problems);
      if (this.#foundCount() > marks.found || count < 2 || reported.length !== count) return;
      this.#filler.fold(marks.problems, view, place, rejectionOfList(reported.map(({ reason }) => reason)));
      return;
    }
    if (view.kind === 'other') {
      this.#filler.reject(view, place, 'expected an object or a list');
      return;
    }
    const isResource = this.#typeUrl !== '' && findContainerType(this.#typeUrl) === undefined;
    if (isResource) this.#resource(view, at, this.#typeUrl);
    else this.#object(view, at);
  }

  #object(view: DocumentView, position: Position): void {
    const { place, scope, depth } = position;
    if (depth > maxDepth) {
      this.#filler.exceed(view, place, levelsExceeded(maxDepth), 'depth');
      return;
    }
    const seen: Seen = { isContainer: false, facts: { typeUrl: '', versionInfo: '' } };
    let type = '';
    let { report } = position;
    const rest: [string, DocumentView][] = [];
    let restCount = 0;
    for (const [key, value] of view.members()) {
      const at = place === '' ? showName(key) : `${place}.${showName(key)}`;
      const name = camelCase(key);
      if (key === '@type') {
        type = textOf(value);
        if (isResource(type)) {
          this.#resource(view, { ...position, report });
          return;
        }
        continue;
      }
      const list = listsByName.get(name);
      if (list !== undefined && value.kind === 'list') {
        const target = this.#ofEnvoy(report ?? scope.own, 'Envoy config dump');
        target.noteDumpList(key, list.list, value);
        this.#filler.dumpList(value, at, target, list);
        seen.isContainer = true;
      } else if (name === 'configs' && value.kind === 'list') {
        report = this.#ofEnvoy(scope.dump(), 'Envoy config dump');
        this.#configs(value, { ...position, place: at, report });
        seen.isContainer = true;
      } else if (name === 'config' && value.kind === 'list') {
        this.#clientConfigs(value, { ...position, place: at });
        seen.isContainer = true;
      } else if (name === 'genericXdsConfigs' && value.kind === 'list') {
        report ??= scope.add('auto');
        this.#filler.list(value, report, ranks.rest, { place: at, read: readGeneric });
        seen.isContainer = true;
        this.#filler.kinds.add('CSDS answer');
      } else if (name === 'xdsConfig' && value.kind === 'list') {
        report ??= scope.add('auto');
        for (const [index, item] of value.items()) {
          this.#filler.perXdsConfig(item, `${at}[${index}]`, report);
        }
        seen.isContainer = true;
        this.#filler.kinds.add('CSDS answer');
      } else if (name === 'resources' && value.kind === 'list') {
        this.#filler.kinds.add('DiscoveryResponse');
        this.#responseResources(value, { ...position, place: at }, seen.facts);
        seen.isContainer = true;
      } else if (name === 'removedResources' && value.kind === 'list') {
        this.#filler.kinds.add('DiscoveryResponse');
        scope.sent.isReported = true;
        for (const [, item] of value.items()) scope.sent.remove(seen.facts, [textOf(item)]);
        seen.isContainer = true;
      } else if (name === 'clusterStatuses' && value.kind === 'list') {
        const target = this.#ofEnvoy(report ?? scope.own, 'hosts of /clusters');
        this.#filler.list(value, target, ranks.hosts, { place: at, read: readClusterStatus });
        seen.isContainer = true;
      } else if (name === 'listenerStatuses' && value.kind === 'list') {
        const target = this.#ofEnvoy(report ?? scope.own, 'addresses of /listeners');
        this.#filler.list(value, target, ranks.sockets, { place: at, read: readListenerStatus });
        seen.isContainer = true;
        this.#hasListeners = true;
      } else if (name === 'staticResources' && value.kind === 'object') {
        this.#bootstrap(view, place, report ?? scope.own, false);
        return;
      } else if (name === 'node' && value.kind === 'object') {
        rest.push([key, value]);
        if (report !== undefined) this.#filler.node(value, at, report);
      } else if (name === 'typeUrl') seen.facts.typeUrl = textOf(value);
      else if (name === 'versionInfo' || name === 'systemVersionInfo') seen.facts.versionInfo = textOf(value);
      else if (name === 'clientScope' && report !== undefined) report.scope = textOf(value);
      else {
        restCount += 1;
        if (restCount <= mostMembers) rest.push([key, value]);
      }
    }
    if (seen.isContainer) {
      const dump = dumps.get(messageNameOf(type).split('.').at(-1) ?? '');
      const { versionInfo } = seen.facts;
      if (dump !== undefined && versionInfo !== '')
        report?.typeVersions.push({ typeUrl: dump.typeUrl, versionInfo });
      const node = rest.find(([key]) => key === 'node');
      if (node !== undefined && report !== undefined && report.node === null)
        this.#filler.node(node[1], `${place}.node`, report);
      return;
    }
    if (restCount > mostMembers) {
      this.#filler.exceed(view, place, new NestingError(`${mostMembers} members in an object`, restCount));
      return;
    }
    this.#other(view, { ...position, report }, type, seen.facts, rest);
  }

  /** Handles an object that is not a container. */
  #other(
    view: DocumentView,
    position: Position,
    type: string,
    facts: ResponseFacts,
    rest: readonly (readonly [string, DocumentView])[],
  ): void {
    const { place, scope, report, depth } = position;
    const keys = new Set(rest.map(([key]) => camelCase(key)));
    const own = adminMessages.find(({ has }) => has(keys, type));
    if (own !== undefined) {
      const target = this.#ofEnvoy(report ?? scope.own, own.kind);
      const marks = { isStaticResource: true };
      this.#filler.one(view, target, ranks.rest, { place, read: ownReader(own.typeUrl, own.name, marks) });
      const node = rest.find(([key]) => key === 'node');
      if (node !== undefined && target.node === null) this.#filler.node(node[1], `${place}.node`, target);
      return;
    }
    const bootstrap = rest.find(([key]) => key === 'bootstrap')?.[1];
    if (bootstrap !== undefined && (report !== undefined || /\.BootstrapConfigDump$/.test(type))) {
      this.#bootstrap(bootstrap, `${place}.bootstrap`, report ?? scope.own, true);
      return;
    }
    if (type === '' && isBootstrap(keys)) {
      this.#bootstrap(view, place, report ?? scope.own, false);
      return;
    }
    // An empty dump of a type has at most a version. Alone, it shows that the Envoy has nothing of the type.
    const empty = dumps.get(messageNameOf(type).split('.').at(-1) ?? '');
    if (empty !== undefined) {
      const target = this.#ofEnvoy(report ?? scope.own, 'Envoy config dump');
      if (report === undefined) target.isReported = true;
      return;
    }
    const listOfItem = findListOfItems(type);
    if (listOfItem !== undefined) {
      this.#filler.dumpItem(view, place, this.#ofEnvoy(report ?? scope.own, 'Envoy config dump'), listOfItem);
      return;
    }
    if (type !== '') {
      this.#resource(view, position);
      return;
    }
    const members = new Set([
      ...keys,
      ...Object.keys(facts).filter((key) => facts[key as keyof typeof facts]),
    ]);
    const request = rejectionOfRequest(members);
    if (request !== undefined) {
      this.#filler.reject(view, place, request);
      return;
    }
    if (report !== undefined && report.side === 'auto') return; // A client of which only the node is reported.
    if (keys.has('nonce') || (facts.typeUrl !== '' && facts.versionInfo !== '')) {
      scope.sent.isReported = true; // A DiscoveryResponse without resources.
      this.#filler.kinds.add('DiscoveryResponse');
      return;
    }
    const bare = depth <= guessedDepth && isBareResource(view, this.#notation);
    if (bare === true) {
      this.#resource(view, position);
      return;
    }
    // A document of another format may contain resources in its members.
    const marks = { problems: this.#problems.length, found: this.#foundCount() };
    // An operation of a JSON patch, as in the answer of Kuma to _config: its value is a part of what a change would bring.
    if (keys.has('op') && keys.has('path')) return;
    const enclosing = position.isItem ? scope.enclose() : scope;
    for (const [key, value] of rest) {
      const at = place === '' ? showName(key) : `${place}.${showName(key)}`;
      // Resources of one client by their type and name, as Kuma has them.
      if (value.kind === 'object' && isResource(key)) {
        for (const [name, item] of value.members())
          if (item.kind === 'object')
            this.#resource(
              item,
              { ...position, place: `${at}.${showName(name)}`, around: enclosing, report },
              key,
            );
        continue;
      }
      const own = enclosing.member(showName(key));
      const inside = { place: at, scope: own, around: enclosing, report, depth: depth + 1 };
      if (value.kind === 'object') this.#object(value, inside);
      else if (value.kind === 'list') this.#strangeList(value, { ...inside, depth });
    }
    if (this.#foundCount() > marks.found || rest.length === 0) return;
    // A subtree without resources is one problem, instead of one per leaf.
    const inside = this.#problems.slice(marks.problems).map(({ reason }) => reason);
    this.#filler.fold(marks.problems, view, place, rejectionOfObject(members, inside), bare || undefined);
  }

  #bootstrap(view: DocumentView, place: string, report: PlannedReport, isReported: boolean): void {
    this.#filler.bootstrap(view, place, this.#ofEnvoy(report, 'bootstrap'), isReported);
  }

  /** Notes a part that no other client has. MUTATES `report`. */
  #ofEnvoy(report: PlannedReport, kind: string): PlannedReport {
    this.#filler.kinds.add(kind);
    report.noteEnvoy(kind);
    return report;
  }

  #foundCount(): number {
    return this.#root.reports.reduce(
      (sum, report) => sum + report.elementCount + (report.isReported ? 1 : 0),
      0,
    );
  }

  /** Searches a list of a document of another format. Elements that are not objects are ignored. */
  #strangeList(view: DocumentView, at: Position): void {
    for (const [index, item] of view.items()) {
      if (item.kind === 'object') this.#object(item, itemOf(at, index));
    }
  }

  #clientConfigs(view: DocumentView, at: Position): void {
    for (const [index, item] of view.items()) this.#client(item, itemOf(at, index));
    this.#filler.kinds.add('CSDS answer');
  }

  #client(view: DocumentView, at: Position): void {
    this.#object(view, { ...at, report: at.scope.add('auto') });
  }

  /** Adds the resources of a DiscoveryResponse, or the clients in one of Istio. */
  #responseResources(view: DocumentView, at: Position, facts: ResponseFacts): void {
    const { place, scope } = at;
    const group = { place, read: resourceReader(facts, { response: facts }) };
    let isEmpty = true;
    for (const [index, item] of view.items()) {
      isEmpty = false;
      if (/\.ClientConfig$/.test(firstType(item))) {
        this.#client(item, itemOf(at, index));
        this.#filler.kinds.add('CSDS answer');
      } else scope.sent.add(ranks.rest, new JsonElement(group, index, item));
    }
    if (!isEmpty) return;
    scope.sent.isReported = true;
    scope.sent.emptyResponses.push(facts);
  }

  #resource(view: DocumentView, { place, around, report }: Position, typeUrl = ''): void {
    this.#filler.kinds.add('resources');
    const read = resourceReader({ typeUrl, versionInfo: '' });
    this.#filler.one(view, report ?? around.sent, ranks.rest, { place, read });
  }

  #configs(view: DocumentView, at: Position): void {
    for (const [index, item] of view.items()) {
      const inside = itemOf(at, index);
      if (item.kind === 'object') this.#object(item, inside);
      else this.#filler.reject(item, inside.place, 'expected an object with "@type"');
    }
  }
}

/** The place of an object in a document, and whose it is. */
interface Position {
  readonly place: string;
  readonly scope: DocumentScope;
  /** The scope of the object that contains this one: resources in one object are of one client. */
  readonly around: DocumentScope;
  /** The report of the part that contains the object. Absent: it is decided by the scope. */
  readonly report?: PlannedReport | undefined;
  readonly depth: number;
  /** The object is an element of a list, or a document. */
  readonly isItem?: boolean;
}

function itemOf(list: Position, index: number): Position {
  const { scope, depth } = list;
  return { ...list, place: `${list.place}[${index}]`, around: scope, depth: depth + 1, isItem: true };
}
