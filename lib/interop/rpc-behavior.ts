/** What a server of the gRPC interop tests does with an RPC, by its metadata `rpc-behavior`. */
interface BehaviorOption {
  /** Absent: the option applies to every server. */
  readonly hostname?: string;
  readonly action:
    | { readonly kind: 'sleep'; readonly ms: number }
    | { readonly kind: 'keep-open' }
    | { readonly kind: 'error'; readonly code: number }
    /** The RPC succeeds if it is this attempt: 0 for the first one, which is no retry. */
    | { readonly kind: 'succeed'; readonly attempt: number };
}

type ParsedBehavior =
  | { readonly ok: true; readonly options: readonly BehaviorOption[] }
  | { readonly ok: false; readonly reason: string };

export interface RpcOutcome {
  readonly delayMs: number;
  /** A gRPC status code; null: the RPC is never answered. */
  readonly code: number | null;
}

export const rpcBehaviorKey = 'rpc-behavior';

export const behaviorForms = [
  { form: 'sleep-N', text: 'wait N seconds, then apply the next option' },
  { form: 'keep-open', text: 'never answer' },
  { form: 'error-code-N', text: 'fail with the gRPC status N; 0 applies the next option' },
  {
    form: 'succeed-on-retry-attempt-N',
    text: 'succeed if the RPC is the Nth retry, else apply the next option; success-on-retry-attempt-N is the same',
  },
  { form: 'hostname=H OPTION', text: 'apply OPTION only at the server with the name H' },
] as const;

const longestSleepSeconds = 3_600;
const pattern =
  /^(?:hostname=(\S+) +)?(?:(keep-open)|(sleep|error-code|succeed-on-retry-attempt|success-on-retry-attempt)-(\d{1,6}))$/;

/** `values`: of the metadata entries, in their order. Each may have several options with commas between them. */
export function parseRpcBehavior(values: readonly string[]): ParsedBehavior {
  const options: BehaviorOption[] = [];
  for (const text of values.flatMap((value) => value.split(',')).map((each) => each.trim())) {
    const match = pattern.exec(text);
    const action = match === null ? undefined : readAction(match[2] ?? match[3] ?? '', Number(match[4]));
    if (match === null || action === undefined) return { ok: false, reason: expected(text) };
    options.push({ ...(match[1] !== undefined && { hostname: match[1] }), action });
  }
  return { ok: true, options };
}

/** `attempt`: the number of attempts before this one. */
export function applyBehavior(
  options: readonly BehaviorOption[],
  { hostname, attempt }: { readonly hostname: string; readonly attempt: number },
): RpcOutcome {
  let delayMs = 0;
  for (const option of options) {
    if (option.hostname !== undefined && option.hostname !== hostname) continue;
    const { action } = option;
    if (action.kind === 'sleep') delayMs += action.ms;
    else if (action.kind === 'keep-open') return { delayMs, code: null };
    else if (action.kind === 'error' && action.code !== 0) return { delayMs, code: action.code };
    else if (action.kind === 'succeed' && action.attempt === attempt) break;
  }
  return { delayMs, code: 0 };
}

function readAction(name: string, number: number): BehaviorOption['action'] | undefined {
  if (name === 'keep-open') return { kind: 'keep-open' };
  if (name === 'sleep')
    return number > longestSleepSeconds ? undefined : { kind: 'sleep', ms: number * 1000 };
  if (name === 'error-code') return number > 16 ? undefined : { kind: 'error', code: number };
  return { kind: 'succeed', attempt: number };
}

function expected(text: string): string {
  const forms = behaviorForms.map(({ form }) => form).join(', ');
  return `${rpcBehaviorKey}: expected one of ${forms} (sleep at most ${longestSleepSeconds} s, codes 0 to 16), got ${JSON.stringify(text.slice(0, 100))}`;
}
