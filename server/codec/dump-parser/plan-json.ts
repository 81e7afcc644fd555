import { messageNameOf } from '@/lib/xds/resource-type';
import { levelsExceeded, mostMembers, NestingError } from '../document-nesting';
import { dumps } from '../dump-lists';
import { findContainerType } from '../input/containers';
import { isBootstrap } from '../input/recognise-json';
import { showName } from '../json/show-value';
import { adminMessages, partsOfClient } from './admin-messages';
import { isBareResource, type Notation } from './bare-resource';
import type { DocumentView } from './document-view';
import { ScanError } from './document-view';
import { rejectionOfList, rejectionOfObject, rejectionOfRequest } from './explain-unknown-document';
import type { ResponseFacts } from './json-elements';
import {
  camelCase,
  findListOfItems,
  hostsReader,
  JsonElement,
  ownReader,
  readGeneric,
  resourceReader,
} from './json-elements';
import { listsByName, ReportFiller } from './report-filler';
import type { ReportPlan, ReportProblem } from './report-plan';
import { PlannedReport, ranks } from './report-plan';
import { firstType, isResource, textOf } from './view-facts';

/** Containers are searched for down to this depth. */
const maxDepth = 20;
/** A resource without "@type" is recognised by its fields only in a document, and in the members or elements of one. */
const guessedDepth = 1;

/** The limit that was exceeded: the size of a value that is parsed at once, or the depth of the search. */
type Limit = 'value' | 'depth';

interface Seen {
  /** A member is part of a container, so the object is no resource. */
  isContainer: boolean;
  readonly facts: ResponseFacts;
}

/** Finds reports in JSON or YAML. The document is scanned once for containers; elements are parsed later. */
export class JsonPlanner {
  readonly #notation: Notation;
  readonly #typeUrl: string;

  readonly reports: PlannedReport[] = [];
  /** The report for parts that name no client: /clusters next to a /config_dump is of the same Envoy. */
  #own: PlannedReport | undefined;
  /** The report of resources that a control plane sent. */
  #sent: PlannedReport | undefined;

  /** The problems that are exceeded limits. */
  readonly #exceeded = new WeakMap<ReportProblem, Limit>();

  readonly #filler: ReportFiller;

  constructor(
    notation: Notation,
    /** Type URL or full name of the document, or of each element if it is a list; empty if not known. */
    typeUrl = '',
    onElement?: (report: PlannedReport) => void,
  ) {
    this.#notation = notation;
    this.#typeUrl = typeUrl;

    this.#filler = new ReportFiller(onElement);
  }

  finish(format: ReportPlan['format']): ReportPlan {
    return { kinds: [...this.#filler.kinds], format, reports: this.#found(), problems: this.#problems };
  }

  get #problems(): ReportProblem[] {
    return this.#filler.problems;
  }

  /** Scans up to the first syntax error, and keeps what was found before. Returns false at a syntax error. */
  document(view: DocumentView, place: string): boolean {
    const before = this.#problems.length;
    try {
      this.#plan(view, place, '', undefined, 0);
      if (this.#found().length === 0 && this.#problems.length === before) {
        this.#filler.reject(
          view,
          place,
          view.kind === 'list' ? rejectionOfList([]) : rejectionOfObject(new Set()),
        );
      }
      return true;
    } catch (error) {
      if (!(error instanceof ScanError)) throw error;
      this.#problems.push({
        place,
        offset: error.offset,
        reason: `no ${this.#notation} from there on: ${error.message}`,
      });
      return false;
    }
  }

  /** A client that has nothing except a node is included. */
  #found(): PlannedReport[] {
    return this.reports.filter(
      ({ elementCount, node, isReported }) => elementCount > 0 || node !== null || isReported,
    );
  }

  #ownReport(label: string): PlannedReport {
    this.#own ??= this.#newReport(label, 'client');
    return this.#own;
  }

  #sentReport(): PlannedReport {
    this.#sent ??= this.#newReport('', 'control-plane');
    return this.#sent;
  }

  #newReport(label: string, side: PlannedReport['side']): PlannedReport {
    const report = new PlannedReport(label, side);
    this.reports.push(report);
    if (side === 'client') this.#own ??= report;
    return report;
  }

  #plan(
    view: DocumentView,
    place: string,
    label: string,
    report: PlannedReport | undefined,
    depth: number,
  ): void {
    if (depth > maxDepth) {
      this.#exceed(view, place, levelsExceeded(maxDepth), 'depth');
      return;
    }
    if (view.kind === 'list') {
      const marks = { problems: this.#problems.length, found: this.#foundCount() };
      let count = 0;
      for (const [index, item] of view.items()) {
        this.#plan(item, `${place}[${index}]`, label, report, depth + 1);
        count += 1;
      }
      const reported = this.#problems.slice(marks.problems);
      if (this.#foundCount() > marks.found || count < 2 || reported.length !== count) return;
      this.#fold(marks.problems, view, place, rejectionOfList(reported.map(({ reason }) => reason)));
      return;
    }
    if (view.kind === 'other') {
      this.#filler.reject(view, place, 'expected an object or a list');
      return;
    }
    const isResource = this.#typeUrl !== '' && findContainerType(this.#typeUrl) === undefined;
    if (isResource) this.#resource(view, place, report, this.#typeUrl);
    else this.#object(view, place, label, report, depth);
  }

  #object(
    view: DocumentView,
    place: string,
    label: string,
    given: PlannedReport | undefined,
    depth: number,
  ): void {
    if (depth > maxDepth) {
      this.#exceed(view, place, levelsExceeded(maxDepth), 'depth');
      return;
    }
    const seen: Seen = { isContainer: false, facts: { typeUrl: '', versionInfo: '' } };
    let type = '';
    let report = given;
    const rest: [string, DocumentView][] = [];
    let restCount = 0;
    for (const [key, value] of view.members()) {
      const at = place === '' ? showName(key) : `${place}.${showName(key)}`;
      const name = camelCase(key);
      if (key === '@type') {
        type = textOf(value);
        if (isResource(type)) {
          this.#resource(view, place, report);
          return;
        }
        continue;
      }
      const list = listsByName.get(name);
      if (list !== undefined && value.kind === 'list') {
        this.#filler.kinds.add('Envoy config dump');
        this.#filler.dumpList(value, at, report ?? this.#ownReport(label), list);
        seen.isContainer = true;
      } else if (name === 'configs' && value.kind === 'list') {
        report = this.#newReport(label, 'client');
        this.#filler.kinds.add('Envoy config dump');
        this.#configs(value, at, report, depth);
        seen.isContainer = true;
      } else if (name === 'config' && value.kind === 'list') {
        this.#clientConfigs(value, at, depth);
        seen.isContainer = true;
      } else if (name === 'genericXdsConfigs' && value.kind === 'list') {
        report ??= this.#newReport('', 'auto');
        this.#filler.list(value, report, ranks.rest, { place: at, read: readGeneric });
        seen.isContainer = true;
        this.#filler.kinds.add('CSDS answer');
      } else if (name === 'xdsConfig' && value.kind === 'list') {
        report ??= this.#newReport('', 'auto');
        for (const [index, item] of value.items()) {
          this.#filler.perXdsConfig(item, `${at}[${index}]`, report);
        }
        seen.isContainer = true;
        this.#filler.kinds.add('CSDS answer');
      } else if (name === 'resources' && value.kind === 'list') {
        this.#filler.kinds.add('DiscoveryResponse');
        this.#responseResources(value, at, seen.facts, depth);
        seen.isContainer = true;
      } else if (name === 'clusterStatuses' && value.kind === 'list') {
        const target = report ?? this.#ownReport(label);
        target.ofEnvoy ??= 'the document has hosts as Envoy lists them in /clusters';
        this.#filler.list(value, target, ranks.rest, { place: at, read: hostsReader });
        seen.isContainer = true;
        this.#filler.kinds.add('hosts of /clusters');
      } else if (name === 'staticResources' && value.kind === 'object') {
        report ??= this.#ownReport(label);
        this.#filler.bootstrap(view, place, report);
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
      this.#exceed(view, place, new NestingError(`${mostMembers} members in an object`, restCount));
      return;
    }
    this.#other(view, place, label, report, depth, type, seen.facts, rest);
  }

  /** Handles an object that is no container. */
  #other(
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
    const own = adminMessages.find(({ has }) => has(keys, type));
    if (own !== undefined) {
      const target = report ?? this.#ownReport(label);
      this.#filler.kinds.add(own.kind);
      const marks = { isStaticResource: true };
      this.#filler.one(view, target, ranks.rest, { place, read: ownReader(own.typeUrl, own.name, marks) });
      const node = rest.find(([key]) => key === 'node');
      if (node !== undefined && target.node === null) this.#filler.node(node[1], `${place}.node`, target);
      return;
    }
    const bootstrap = rest.find(([key]) => key === 'bootstrap')?.[1];
    if (bootstrap !== undefined && (report !== undefined || /\.BootstrapConfigDump$/.test(type))) {
      this.#filler.bootstrap(bootstrap, `${place}.bootstrap`, report ?? this.#ownReport(label));
      return;
    }
    if (type === '' && isBootstrap(keys)) {
      this.#filler.bootstrap(view, place, report ?? this.#ownReport(label));
      return;
    }
    // An empty dump of a type has only a version.
    if (dumps.has(messageNameOf(type).split('.').at(-1) ?? '')) return;
    const listOfItem = findListOfItems(type);
    if (listOfItem !== undefined) {
      this.#filler.kinds.add('Envoy config dump');
      this.#filler.dumpItem(view, place, report ?? this.#ownReport(label), listOfItem);
      return;
    }
    if (type !== '') {
      this.#resource(view, place, report);
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
      this.#sentReport().isReported = true; // A DiscoveryResponse without resources.
      this.#filler.kinds.add('DiscoveryResponse');
      return;
    }
    const bare = depth <= guessedDepth && isBareResource(view, this.#notation);
    if (bare === true) {
      this.#resource(view, place, report);
      return;
    }
    // A document of another format may contain resources in its members.
    const marks = { problems: this.#problems.length, found: this.#foundCount() };
    const outer = this.#own;
    for (const [key, value] of rest) {
      const at = place === '' ? showName(key) : `${place}.${showName(key)}`;
      // Each member is of a client of its own, unless its name is that of a part of one.
      const isPart = partsOfClient.has(camelCase(key));
      if (report === undefined && !isPart) this.#own = undefined;
      const name = isPart && label !== '' ? label : showName(key);
      if (value.kind === 'object') this.#object(value, at, name, report, depth + 1);
      else if (value.kind === 'list') this.#strangeList(value, at, name, report, depth);
    }
    if (outer !== undefined) this.#own = outer;
    if (this.#foundCount() > marks.found || rest.length === 0) return;
    // A subtree without resources is one problem, instead of one per leaf.
    this.#fold(marks.problems, view, place, rejectionOfObject(members), bare || undefined);
  }

  #exceed(view: DocumentView, place: string, limit: NestingError, kind: Limit = 'value'): void {
    this.#filler.reject(view, place, limit.message);
    for (const problem of this.#problems.slice(-1)) this.#exceeded.set(problem, kind);
  }

  /** Replaces all problems from index `from` on by one: an exceeded limit, or `reason`. */
  #fold(from: number, view: DocumentView, place: string, reason: string, limit?: NestingError): void {
    const folded = this.#problems.splice(from);
    const values = folded.filter((problem) => this.#exceeded.get(problem) === 'value');
    const depth = folded.find((problem) => this.#exceeded.get(problem) === 'depth');
    if (values.length > 0) this.#problems.push(...values);
    else if (limit !== undefined) this.#exceed(view, place, limit);
    else if (depth !== undefined) this.#problems.push(depth);
    else this.#filler.reject(view, place, reason);
  }

  #foundCount(): number {
    return this.reports.reduce((sum, report) => sum + report.elementCount + (report.isReported ? 1 : 0), 0);
  }

  /** Searches a list of a document of another format. Elements that are no objects are ignored. */
  #strangeList(
    view: DocumentView,
    place: string,
    label: string,
    report: PlannedReport | undefined,
    depth: number,
  ): void {
    for (const [index, item] of view.items()) {
      if (item.kind === 'object') this.#object(item, `${place}[${index}]`, label, report, depth + 1);
    }
  }

  #clientConfigs(view: DocumentView, place: string, depth: number): void {
    for (const [index, item] of view.items()) {
      this.#object(item, `${place}[${index}]`, '', this.#newReport('', 'auto'), depth + 1);
    }
    this.#filler.kinds.add('CSDS answer');
  }

  /** Adds the resources of a DiscoveryResponse, or the clients in one of Istio. */
  #responseResources(view: DocumentView, place: string, facts: ResponseFacts, depth: number): void {
    const group = { place, read: resourceReader(facts) };
    let isEmpty = true;
    for (const [index, item] of view.items()) {
      isEmpty = false;
      if (/\.ClientConfig$/.test(firstType(item))) {
        this.#object(item, `${place}[${index}]`, '', this.#newReport('', 'auto'), depth + 1);
        this.#filler.kinds.add('CSDS answer');
      } else this.#sentReport().add(ranks.rest, new JsonElement(group, index, item));
    }
    if (isEmpty) this.#sentReport().isReported = true;
  }

  #resource(view: DocumentView, place: string, report: PlannedReport | undefined, typeUrl = ''): void {
    this.#filler.kinds.add('resources');
    const read = resourceReader({ typeUrl, versionInfo: '' });
    this.#filler.one(view, report ?? this.#sentReport(), ranks.rest, { place, read });
  }

  #configs(view: DocumentView, place: string, report: PlannedReport, depth: number): void {
    for (const [index, item] of view.items()) {
      const at = `${place}[${index}]`;
      if (item.kind === 'object') this.#object(item, at, '', report, depth + 1);
      else this.#filler.reject(item, at, 'expected an object with "@type"');
    }
  }
}
