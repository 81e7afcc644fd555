import type { NestingError } from '../document-nesting';
import {
  contextInDump,
  type Dump,
  type DumpList,
  dumps,
  type ItemContext,
  staticResourceTypes,
} from '../dump-lists';
import { camelCase } from '../json/camel-case';
import { readJsonMessage } from '../json/json-to-message';
import { clientStatusOfType, dumpsOfFields } from '../per-xds-config';
import { messageType } from '../root';
import { type DocumentView, ScanError } from './document-view';
import {
  dumpItemReader,
  type ElementGroup,
  explainUnread,
  JsonElement,
  type KnownList,
  ownReader,
  resourceReader,
} from './json-elements';
import { type PlannedReport, type ReportProblem, ranks } from './report-plan';

/** The key is the name in camelCase, which is unique over all containers. */
export const listsByName: ReadonlyMap<string, KnownList> = new Map(
  [...dumps].flatMap(([container, dump]) => dump.lists.map((list) => [list.list, { container, dump, list }])),
);
const dumpOfField = new Map(dumpsOfFields);

const nodeType = 'envoy.config.core.v3.Node';

/** The limit that was exceeded: the size of a value that is parsed at once, or the depth of the search. */
type Limit = 'value' | 'depth';

/** Adds the elements of containers to reports. Elements are delimited while scanning, and parsed later. */
export class ReportFiller {
  readonly #onElement: (report: PlannedReport) => void;

  readonly problems: ReportProblem[] = [];
  /** The problems that are exceeded limits. */
  readonly #exceeded = new WeakMap<ReportProblem, Limit>();
  readonly kinds = new Set<string>();

  constructor(
    /** Called after each element of a list was added to a report. */
    onElement: (report: PlannedReport) => void = () => undefined,
  ) {
    this.#onElement = onElement;
  }

  dumpList(
    view: DocumentView,
    place: string,
    report: PlannedReport,
    { container, dump, list }: KnownList,
    context: ItemContext = contextInDump(list),
  ): void {
    const read = dumpItemReader(dump, list, container, context);
    this.list(view, report, rankOf(container, list), { place, read });
  }

  /** Adds an item of a dump's list that is not in a dump. */
  dumpItem(
    view: DocumentView,
    place: string,
    report: PlannedReport,
    { container, dump, list }: KnownList,
  ): void {
    const read = dumpItemReader(dump, list, container, contextInDump(list), true);
    this.one(view, report, rankOf(container, list), { place, read });
  }

  /** Adds a PerXdsConfig of a CSDS answer, whose statuses may follow its dump. */
  perXdsConfig(view: DocumentView, place: string, report: PlannedReport): void {
    const type = { configStatus: 0, clientStatus: 0 };
    const context: ItemContext = {
      get configStatus() {
        return type.configStatus;
      },
      clientStatus: () => clientStatusOfType(type.clientStatus),
    };
    let reported: Dump | undefined;
    let items = 0;
    for (const [key, value] of view.members()) {
      const name = camelCase(key);
      const container = dumpOfField.get(name);
      const dump = container === undefined ? undefined : dumps.get(container);
      if (name === 'status') type.configStatus = enumOf('status', value);
      else if (name === 'clientStatus') type.clientStatus = enumOf('clientStatus', value);
      else if (container !== undefined && dump !== undefined) {
        reported = dump;
        for (const [inner, list] of value.members()) {
          const known = listsByName.get(camelCase(inner));
          if (known === undefined || known.container !== container || list.kind !== 'list') continue;
          const before = report.elementCount;
          this.dumpList(list, `${place}.${key}.${inner}`, report, known, context);
          items += report.elementCount - before;
        }
      }
    }
    if (reported === undefined || items > 0 || (type.configStatus === 0 && type.clientStatus === 0)) return;
    // The status of a whole type, as in readPerXdsConfigs().
    const { typeUrl } = reported;
    const whole = {
      typeUrl,
      name: '',
      configStatus: type.configStatus,
      clientStatus: context.clientStatus({}),
    };
    report.add(ranks.rest, { read: () => ({ messages: [whole], problems: [] }) });
  }

  /**
   * Adds the node of a bootstrap, its static resources, and the bootstrap itself as a row. `isReported`: an Envoy reports that it
   * was started with it.
   */
  bootstrap(view: DocumentView, place: string, report: PlannedReport, isReported: boolean): void {
    this.kinds.add('bootstrap');
    const at = (key: string): string => (place === '' ? key : `${place}.${key}`);
    const marks = { isStaticResource: true, ...(!isReported && { isConfiguredOnly: true as const }) };
    for (const [key, value] of view.members()) {
      if (key === 'node') this.node(value, at(key), report);
      if (camelCase(key) !== 'staticResources') continue;
      for (const [kind, list] of value.members()) {
        const typeUrl = staticResourceTypes.get(kind);
        if (typeUrl === undefined || list.kind !== 'list') continue;
        const read = resourceReader({ typeUrl, versionInfo: '' }, marks);
        this.list(list, report, ranks.bootstrap, { place: `${at(key)}.${kind}`, read });
      }
    }
    const read = ownReader('type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap', 'bootstrap', marks);
    // Problems in static resources are reported with their own elements.
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

  node(view: DocumentView, place: string, report: PlannedReport): void {
    try {
      const { message, problems } = readJsonMessage(messageType(nodeType), view.value(), place);
      report.node = message ?? null;
      for (const { place: at, reason } of problems) {
        this.problems.push({ place: at, offset: view.offset, reason });
      }
    } catch (error) {
      if (error instanceof ScanError) throw error;
      this.reject(view, place, explainUnread(error));
    }
  }

  list(view: DocumentView, report: PlannedReport, rank: number, group: ElementGroup): void {
    for (const [index, item] of view.items()) {
      // Throws if the item has no end, before it becomes an element.
      item.size();
      report.add(rank, new JsonElement(group, index, item));
      this.#onElement(report);
    }
  }

  one(view: DocumentView, report: PlannedReport, rank: number, group: ElementGroup): void {
    report.add(rank, new JsonElement(group, -1, view));
  }

  reject(view: DocumentView, place: string, reason: string): void {
    this.problems.push({ place, offset: view.offset, reason });
  }

  /** Rejects a part that exceeds a limit. */
  exceed(view: DocumentView, place: string, limit: NestingError, kind: Limit = 'value'): void {
    this.reject(view, place, limit.message);
    for (const problem of this.problems.slice(-1)) this.#exceeded.set(problem, kind);
  }

  /** Replaces all problems from index `from` on by one: an exceeded limit, or `reason`. */
  fold(from: number, view: DocumentView, place: string, reason: string, limit?: NestingError): void {
    const folded = this.problems.splice(from);
    const values = folded.filter((problem) => this.#exceeded.get(problem) === 'value');
    const depth = folded.find((problem) => this.#exceeded.get(problem) === 'depth');
    if (values.length > 0) this.problems.push(...values);
    else if (limit !== undefined) this.exceed(view, place, limit);
    else if (depth !== undefined) this.problems.push(depth);
    else this.reject(view, place, reason);
  }
}

function rankOf(container: string, { isWarming }: DumpList): number {
  if (isWarming) return ranks.warming;
  if (container === 'ListenersConfigDump') return ranks.listeners;
  return /^(?:Scoped)?RoutesConfigDump$/.test(container) ? ranks.routes : ranks.rest;
}

function enumOf(field: 'status' | 'clientStatus', view: DocumentView): number {
  const type = messageType('envoy.service.status.v3.PerXdsConfig');
  const read = readJsonMessage(type, { [field]: view.value() });
  const value: unknown = read.message === undefined ? 0 : Reflect.get(read.message, field);
  return typeof value === 'number' ? value : 0;
}
