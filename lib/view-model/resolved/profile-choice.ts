import { findProfile, guessProfile } from '../../resolve/guess-profile';
import { profileNames, type ResolveProfile } from '../../resolve/resolve-profile';
import type { ProbeProfile } from '../../xds/probe-choices';

export { profileNames };

export function explainProfile(
  profile: ResolveProfile,
  { userAgent, asClient }: { readonly userAgent: string; readonly asClient?: ProbeProfile | undefined },
  isChosen: boolean,
): string {
  if (asClient !== undefined) {
    const own = `the probe validates like ${profileNames[asClient]}`;
    return isChosen && profile !== asClient ? `${profileNames[profile]} was chosen; ${own}` : own;
  }
  const reported = userAgent === '' ? 'the client reports no user agent' : `the user agent is “${userAgent}”`;
  const guessed = guessProfile(userAgent);
  if (isChosen && profile !== guessed) return `${profileNames[profile]} was chosen; ${reported}`;
  if (findProfile(userAgent) !== undefined) return `${profileNames[guessed]}: ${reported}`;
  const why = userAgent === '' ? reported : `${reported}, which names no known client`;
  return `${why}: treated as ${profileNames[guessed]}`;
}
