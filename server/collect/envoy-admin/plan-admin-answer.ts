import { CodecError } from '../../codec/codec-error';
import { NestingError } from '../../codec/document-nesting';
import { findMember, hostCounters, without } from '../../codec/dump-parser/admin-sockets';
import { ownReader } from '../../codec/dump-parser/json-elements';
import type { JsonView } from '../../codec/dump-parser/json-view';
import { PlannedReport, ranks } from '../../codec/dump-parser/report-plan';
import { camelCase } from '../../codec/json/camel-case';
import { isJsonObject } from '../../codec/json/json-object';
import { readJsonMessage } from '../../codec/json/json-to-message';
import { messageType } from '../../codec/root';
import type { AdminDocument } from './admin-document';

type Answer = Exclude<AdminDocument, 'config_dump' | 'listeners'>;

const prefix = 'type.googleapis.com/envoy.admin.v3.';

/** The type and the member that identify an answer, and those of its fields that change without being news. */
const answers: Readonly<
  Record<Answer, { readonly typeUrl: string; readonly member: string; readonly counters: readonly string[] }>
> = {
  server_info: {
    typeUrl: `${prefix}ServerInfo`,
    member: 'state',
    counters: ['uptimeCurrentEpoch', 'uptimeAllEpochs'],
  },
  clusters: {
    typeUrl: `${prefix}ClusterStatus`,
    member: 'clusterStatuses',
    counters: hostCounters,
  },
  certs: { typeUrl: `${prefix}Certificates`, member: 'certificates', counters: ['daysUntilExpiration'] },
  init_dump: { typeUrl: `${prefix}UnreadyTargetsDumps`, member: 'unreadyTargetsDumps', counters: [] },
};

/** Members that Envoy leaves out when they are empty. */
const mayBeMissing = new Set<Answer>(['certs', 'clusters', 'init_dump']);

/**
 * Answers without resources become rows of their own types: /clusters one for each cluster (its hosts with their
 * health as Envoy reports it), the others one each, named after the document. `onStatuses` receives the content of
 * /clusters, and the same without what is counted.
 */
export function planAdminAnswer(
  answer: Answer,
  view: JsonView,
  onStatuses: (statuses: readonly unknown[], facts: readonly unknown[]) => void = () => undefined,
): PlannedReport {
  const { typeUrl, member, counters } = answers[answer];
  const report = new PlannedReport('client');
  const members = membersOf(view);
  const found = members.get(member);
  if (found === undefined && !(mayBeMissing.has(answer) && members.size === 0)) {
    throw new CodecError(`expected "${member}", got JSON without`);
  }
  if (answer !== 'clusters') {
    const json = readJson(view);
    if (!isJsonObject(json)) throw new CodecError('expected a JSON object');
    addRow(report, typeUrl, answer, without(json, counters));
    const node = findMember(json, 'node');
    if (answer === 'server_info' && node !== undefined) {
      report.node = readJsonMessage(messageType('envoy.config.core.v3.Node'), node, 'node').message ?? null;
    }
    return report;
  }
  if (found === undefined) return report;
  if (found.kind !== 'list') throw new CodecError(`expected a list in "${member}", got something else`);
  // Each cluster is parsed alone: the limits of a document are those of a cluster.
  const statuses = scan(() => [...found.items()]).map(([, status]) => readJson(status));
  const facts = statuses.map((status) => without(status, counters));
  onStatuses(statuses, facts);
  for (const status of facts) {
    const name = isJsonObject(status) ? findMember(status, 'name') : undefined;
    addRow(report, typeUrl, typeof name === 'string' ? name : '', status);
  }
  return report;
}

/** Returns the members of an object by their names in camel case. */
function membersOf(view: JsonView): ReadonlyMap<string, JsonView> {
  if (view.kind !== 'object') {
    readJson(view);
    throw new CodecError('expected a JSON object');
  }
  return new Map(scan(() => [...view.members()]).map(([key, value]) => [camelCase(key), value]));
}

/** Throws a CodecError. */
export const readJson = (view: JsonView): unknown => scan(() => view.value());

/** Throws a CodecError. The message of the parser may contain text of the answer and is not reported; a limit is. */
function scan<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof NestingError) throw new CodecError(cause.message, { cause });
    throw new CodecError('expected JSON, got text that is not valid JSON', { cause });
  }
}

function addRow(report: PlannedReport, typeUrl: string, name: string, json: unknown): void {
  const read = ownReader(typeUrl, name, { isStaticResource: true });
  report.add(ranks.rest, {
    read: () => {
      const { messages, problems } = read(json, name);
      return { messages, problems };
    },
  });
}
