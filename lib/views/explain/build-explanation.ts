import type { Trace } from '../../explain/trace';
import { formatShare } from '../../format/share';
import type { ExplainRequest } from '../../requests/request';
import type { ResolveStart } from '../../resolve/resolve-listener';
import type { Profile } from '../../xds/profile';
import type { ExplainedBranch, Explanation } from './schema';

type ExplanationContent = Omit<
  Explanation,
  'clientId' | 'at' | 'revision' | 'moment' | 'noClient' | 'unmeasured'
>;

const mostSteps = 2_000;

interface Explained {
  readonly trace: Trace;
  readonly opened: { readonly start: ResolveStart };
}

/** `explained`: undefined if the client has no listener. `stepsKept`: the last steps, which decide. */
export function buildExplanation(
  explained: Explained | undefined,
  starts: Pick<Explanation, 'starts' | 'startsTotal'>,
  { method, scheme, authority, path, headers, connection }: ExplainRequest,
  profile: Profile,
  stepsKept = mostSteps,
): ExplanationContent {
  const { steps, branches } = explained?.trace ?? nothing;
  const own = branches.map(({ endpoints, ...branch }) => ({
    ...branch,
    ...(endpoints && { endpoints: [...endpoints] }),
  }));
  return {
    profile,
    request: {
      ...{ method, scheme, authority, path },
      headers: headers.map(([name, value]) => [name, value]),
      ...(connection && { connection }),
    },
    ...(explained && { start: explained.opened.start }),
    ...starts,
    outcome: summariseBranches(own),
    branches: own,
    steps: (stepsKept === 0 ? [] : steps.slice(-stepsKept)).map(({ settings, resource, ...step }) => ({
      ...step,
      ...(resource && { resource }),
      ...(settings && { settings: [...settings] }),
    })),
    stepsTotal: steps.length,
  };
}

const noListener: ExplainedBranch = { kind: 'unknown', when: '', text: 'the client reports no listener' };
const nothing: Trace = { steps: [], branches: [noListener] };

/** What all branches have in common, and the sentence that states where the request goes. */
export function summariseBranches(
  branches: readonly ExplainedBranch[],
  isHypothetical = false,
): Explanation['outcome'] {
  return { ...commonParts(branches), sentence: describeOutcome(branches, isHypothetical) };
}

type CommonParts = Omit<Explanation['outcome'], 'sentence'>;

/** The parts in which no branch differs. */
function commonParts(branches: readonly ExplainedBranch[]): CommonParts {
  const [first, ...others] = branches;
  const { when: _when, percent: _percent, ...outcome } = first ?? noListener;
  const texts = new Map(Object.entries(outcome).map(([name, value]) => [name, JSON.stringify(value)]));
  const isCommon = ([name]: readonly [string, unknown]): boolean =>
    others.every((each) => JSON.stringify(each[name as keyof ExplainedBranch]) === texts.get(name));
  return { text: '', ...Object.fromEntries(Object.entries(outcome).filter(isCommon)) };
}

const mostNamed = 3;

/** "The request goes to cluster cart, endpoint 10.0.0.1:80." `isHypothetical`: no client is known to run the config. */
export function describeOutcome(branches: readonly ExplainedBranch[], isHypothetical = false): string {
  const describe = (branch: ExplainedBranch): string =>
    describeBranch(branch, isHypothetical ? wouldBe : asIs);
  const [only] = branches;
  if (branches.length === 1 && only !== undefined) return `${describe(only)}.`;
  const parts = branches.slice(0, mostNamed).map((branch) => {
    const share =
      branch.percent === undefined ? '' : ` (${formatShare(branch.percent / 100)} of the requests)`;
    return `${describe(branch)}${share}`;
  });
  const more = branches.length > mostNamed ? `, or one of ${branches.length - mostNamed} more` : '';
  return `It ${isHypothetical ? 'would depend' : 'depends'}: ${parts.map(lowerFirst).join('; or ')}${more}.`;
}

const asIs = { goes: 'goes', answers: 'answers', fails: 'fails' };
const wouldBe: typeof asIs = { goes: 'would go', answers: 'would answer', fails: 'would fail' };

function describeBranch(
  { kind, text, cluster, endpoints = [], status, grpcCode, flag }: ExplainedBranch,
  verbs: typeof asIs,
): string {
  if (kind === 'forwarded') {
    const [first, second] = endpoints;
    const where =
      first === undefined
        ? ''
        : second === undefined
          ? `, endpoint ${first.address}`
          : `, one of ${endpoints.length} endpoints`;
    return `The request ${verbs.goes} to cluster ${cluster}${where}`;
  }
  if (kind === 'unknown') return `It is not known where the request ${verbs.goes}: ${text}`;
  const code = grpcCode ?? (status === undefined ? '' : String(status));
  const answer = `${code}${flag === undefined ? '' : ` (${flag})`}`.trim();
  if (kind === 'answered') return `The client ${verbs.answers} the request itself with ${answer}: ${text}`;
  // A filter may choose its status.
  const how = answer === '' ? '' : code === '' ? ` ${answer}` : ` with ${answer}`;
  return `The request ${verbs.fails}${how}: ${text}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
