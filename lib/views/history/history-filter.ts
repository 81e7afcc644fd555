import { formatCondition } from '../../filter/format-filter';
import {
  type FilterGrammar,
  findField,
  parseFilter,
  partsOfFilter,
  splitExpression,
  unquote,
} from '../../filter/parse-filter';
import { resourceTypes } from '../../xds/resource-type';
import { type HistoryKind, historyKinds } from './history-kinds';

const services = resourceTypes.map(({ service }) => service);
const statuses = ['NACKED', 'ACKED'];

/** The fields of filters of events. The log finds whole names and versions, and parts of errors. */
export const historyGrammar = {
  fields: {
    type: {
      meaning: 'the resource type, as in type=CDS',
      suggestions: services,
      operators: ['=', '!='],
      isSingle: true,
    },
    status: {
      meaning: 'NACKED: NACKs, and reports with an error; ACKED: ACKs',
      values: statuses,
      operators: ['='],
      isSingle: true,
    },
    kind: { meaning: 'the kind of event', values: historyKinds, operators: ['=', '!='], isSingle: true },
    name: { meaning: 'exactly the name of a resource', operators: ['='], isSingle: true },
    version: { meaning: 'exactly a version', operators: ['='], isSingle: true },
    error: { meaning: 'a part of the error text', operators: ['~'], isSingle: true },
    stream: { meaning: 'the id of a stream', operators: ['='], isSingle: true },
    since: { meaning: 'within this time, as in since=10m', isAge: true, isSingle: true },
  },
  insteadOfWords: 'a field, as in name=cart or error~"no hosts"',
} as const satisfies FilterGrammar;

type Field = keyof typeof historyGrammar.fields;

/** The parameters with which a filter queries the log. Empty: any. */
interface CompiledHistoryFilter {
  /** null: any. */
  readonly type: readonly string[] | null;
  readonly kind: readonly HistoryKind[] | null;
  readonly name: string;
  readonly version: string;
  readonly error: string;
  readonly stream: string;
  readonly rejected: boolean;
  /** As in "now-10m". */
  readonly since: string;
}

/** Compiles a filter to what the log can find. Parts that are not valid do not filter. */
export function compileHistoryFilter(text: string): CompiledHistoryFilter {
  const invalid = new Set(parseFilter(text, historyGrammar).problems.map(({ from }) => from));
  const found = new Map<Field, string>();
  const excluded = { type: new Set<string>(), kind: new Set<string>() };
  for (const { part, from } of partsOfFilter(text)) {
    const expression = invalid.has(from) ? undefined : splitExpression(part);
    const field = expression && findField(historyGrammar, expression.key);
    if (expression === undefined || field === undefined) continue;
    const value = unquote(expression.value);
    if (expression.operator === '!=') excluded[field as 'type' | 'kind'].add(value.toLowerCase());
    else found.set(field as Field, value);
  }
  const status = found.get('status')?.toUpperCase();
  const kinds = choose(
    status === 'ACKED' ? ['ack-sent' as const] : historyKinds,
    found.get('kind')?.toLowerCase(),
    excluded.kind,
  );
  const isAnyKind = kinds.length === historyKinds.length;
  const type = found.get('type');
  const types =
    type === undefined
      ? choose(services, undefined, excluded.type)
      : [services.find((service) => service.toLowerCase() === type.toLowerCase()) ?? type];
  const isAnyType = type === undefined && excluded.type.size === 0;
  const since = found.get('since')?.toLowerCase() ?? '';
  return {
    type: isAnyType ? null : types.filter((each) => !excluded.type.has(each.toLowerCase())),
    kind: isAnyKind ? null : kinds,
    name: found.get('name') ?? '',
    version: found.get('version') ?? '',
    error: found.get('error') ?? '',
    stream: found.get('stream') ?? '',
    rejected: status === 'NACKED',
    since: since === '' ? '' : `now-${since}`,
  };
}

function choose<Value extends string>(
  all: readonly Value[],
  wanted: string | undefined,
  excluded: ReadonlySet<string>,
): Value[] {
  return all.filter((each) => (wanted === undefined || each === wanted) && !excluded.has(each.toLowerCase()));
}

/** The filter of an address from before there was one text. */
export function formatHistoryFilter({
  name,
  version,
  error,
  stream,
}: Pick<CompiledHistoryFilter, 'name' | 'version' | 'error' | 'stream'>): string {
  return [
    name === '' ? '' : formatCondition('name', '=', name),
    version === '' ? '' : formatCondition('version', '=', version),
    error === '' ? '' : formatCondition('error', '~', error),
    stream === '' ? '' : formatCondition('stream', '=', stream),
  ]
    .filter(Boolean)
    .join(' ');
}
