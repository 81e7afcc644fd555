import { formatStatusCode } from '../../xds/status-code';
import type { ExplainedBranch, Explanation } from '../explain/schema';
import type { ObservedOutcome, Proof } from './schema';

export const comparisons = ['same', 'differs', 'not observed', 'not explained'] as const;
/** `not explained`: the trace leaves it open. */
export type Comparison = (typeof comparisons)[number];

interface ComparedStep {
  readonly what: string;
  readonly explained: string;
  readonly observed: string;
  readonly comparison: Comparison;
}

type Explained = Pick<Explanation, 'branches'>;
type Observed = Pick<Proof, 'program' | 'outcomes' | 'endpoints' | 'listener' | 'services'>;

/** Compares, step by step, where a request goes by the config with what a real proxy did with it. */
export function compareProof(
  { branches: all }: Explained,
  { program, outcomes, endpoints, listener, services }: Observed,
): ComparedStep[] {
  const branches = chooseBranches(all, services);
  const isOpen = branches.some(
    ({ kind, filter, status }) => kind === 'unknown' || (filter !== undefined && status === undefined),
  );
  const of = (
    what: string,
    explained: Iterable<string | undefined>,
    observed: Iterable<string | undefined>,
    isOpenHere = isOpen,
  ) => compare(what, explained, observed, isOpenHere);
  const isFiltered = branches.every(({ filter }) => filter !== undefined);
  // The proxy of a proof has no local cluster, by which the zone of the client decides.
  const isByZone = branches.some((each) => each.isByZone);
  // Not every gRPC client reads the hash keys by which the backends of a proof have the places of the endpoints.
  const isByHash = program.name !== 'Envoy' && branches.some((each) => each.isByHash);
  const isForwarded = branches.every(({ kind }) => kind === 'forwarded');
  const steps = [
    of(
      'listener',
      branches.map((each) => each.listener),
      [listener.name],
    ),
    of(
      'virtual host',
      branches.map((each) => each.virtualHost),
      outcomes.map((each) => each.virtualHost),
    ),
    of(
      'route',
      branches.map((each) => each.route),
      outcomes.map(nameRoute),
    ),
    of(
      'cluster',
      branches.map((each) => each.cluster),
      // The access log has the cluster of the route also if a filter answers.
      outcomes.map((each) => (isFiltered ? undefined : nameCluster(each, branches))),
    ),
    of(
      'answer',
      branches.map(answerOf),
      outcomes.map((each) => observedAnswer(each, branches)),
    ),
    ...(isForwarded
      ? [
          of(
            'endpoint',
            branches.flatMap((each) => each.endpoints?.map(({ address }) => address)),
            endpoints.map(({ address }) => address),
            isOpen || isByZone || isByHash,
          ),
        ]
      : []),
  ];
  return steps.filter(({ explained, observed }) => explained !== '' || observed !== '');
}

/** The branches that are possible with the answers of the stubs. */
function chooseBranches(
  branches: readonly ExplainedBranch[],
  services: Observed['services'],
): readonly ExplainedBranch[] {
  const denied = branches.findIndex(({ filter, isService }) =>
    services.some((stub) => isService && stub.filter === filter && stub.answer === 'deny'),
  );
  // Answers of filters are in the order of the filters. Those before the one that denies may answer, too.
  const isPossible = ({ filter }: ExplainedBranch, at: number): boolean =>
    denied === -1 || (filter !== undefined && at <= denied);
  return branches.filter(
    (branch, at) => at === denied || (branch.isService === undefined && isPossible(branch, at)),
  );
}

function compare(
  what: string,
  explained: Iterable<string | undefined>,
  observed: Iterable<string | undefined>,
  isOpen: boolean,
): ComparedStep {
  const expected = distinct(explained);
  const seen = distinct(observed);
  return {
    what,
    explained: formatList(expected),
    observed: formatList(seen),
    comparison: comparisonOf(expected, seen, isOpen),
  };
}

function comparisonOf(expected: readonly string[], seen: readonly string[], isOpen: boolean): Comparison {
  if (seen.length === 0) return 'not observed';
  if (seen.every((each) => expected.includes(each))) return 'same';
  return expected.length === 0 || isOpen ? 'not explained' : 'differs';
}

function distinct(values: Iterable<string | undefined>): string[] {
  return [...new Set([...values].filter((value) => value !== undefined))];
}

const mostListed = 5;

function formatList(values: readonly string[]): string {
  const more = values.length > mostListed ? ` and ${values.length - mostListed} more` : '';
  return `${values.slice(0, mostListed).join(', ')}${more}`;
}

/** A gRPC client shows a member of the cluster that the route names. */
function nameCluster(
  { cluster, aggregates = [] }: ObservedOutcome,
  branches: readonly ExplainedBranch[],
): string | undefined {
  return aggregates.find((each) => branches.some((branch) => branch.cluster === each)) ?? cluster;
}

/** A route without a name is named by its place, as in a trace. */
function nameRoute({ route, routePath }: ObservedOutcome): string | undefined {
  if (route !== '') return route;
  const [, index] = /\[(\d+)\]$/.exec(routePath ?? '') ?? [];
  return index === undefined ? undefined : `route ${Number(index) + 1}`;
}

function answerOf({ kind, status, flag, grpcCode }: ExplainedBranch): string | undefined {
  if (kind === 'forwarded') return 'of an endpoint';
  if (grpcCode !== undefined && status === undefined) return grpcCode;
  return kind === 'unknown' ? undefined : formatAnswer(status, flag) || undefined;
}

/** An external service chooses the status: the trace states the flag only. */
function observedAnswer(
  { status, flag, details, grpcCode }: ObservedOutcome,
  branches: readonly ExplainedBranch[],
): string | undefined {
  if (status === undefined && grpcCode !== undefined)
    return grpcCode === '0' ? 'of an endpoint' : formatStatusCode(Number(grpcCode));
  if (details === 'via_upstream') return 'of an endpoint';
  const isFree = branches.some(
    (each) => each.flag === flag && flag !== undefined && each.status === undefined,
  );
  if (isFree) return formatAnswer(undefined, flag);
  return status === undefined && flag === undefined ? undefined : formatAnswer(status, flag);
}

/** DI states that a fault filter has delayed the request, which is part of the trace, and no answer. */
function formatAnswer(status: number | undefined, flag: string | undefined): string {
  const own = flag?.replace(/^DI,?/, '');
  if (status === undefined && own) return `any status (${own})`;
  return [status, own && `(${own})`].filter(Boolean).join(' ');
}
