import type { Problem } from '@/lib/observation/observation';
import type { Target } from './target';

/** Addresses in one message. */
const mostShown = 3;

/** The dial policy rejects every address of a target. One line, which findDialRejection() finds in a call's details. */
export class DialRejectedError extends Error {
  override readonly name = 'DialRejectedError';

  /** `rule` and `entry` are those of the first address; see DialDecision. */
  constructor(
    { host, text }: Target,
    addresses: readonly string[],
    { rule, entry }: { readonly rule: string; readonly entry: string },
  ) {
    const shown = addresses.slice(0, mostShown).join(', ');
    const more = addresses.length > mostShown ? ` and ${addresses.length - mostShown} more` : '';
    const from = addresses.includes(host) ? '' : ' from the resolver';
    super(
      `${text}: expected an address that may be dialled, got ${shown}${more}${from}: ${rule}. ` +
        `To allow it, start xdscope with --allow-target ${entry}, or list it in allowTargets of the config file.`,
    );
  }
}

/** Undefined: the call failed for another reason. */
export function findDialRejection(details: string): Problem | undefined {
  const found = /^(.*: expected an address that may be dialled, got .*)\. (To allow it, .*)$/.exec(details);
  if (found === null) return undefined;
  const [, message = '', hint = ''] = found;
  return { code: 'TARGET_NOT_ALLOWED', message, hint };
}
