import { findProfile, guessProfile } from '../../resolve/guess-profile';
import { type ErrorModel, profileNames, type ResolveProfile } from '../../resolve/resolve-profile';

export { profileNames };

export const errorModelNames: Readonly<Record<ErrorModel, string>> = {
  a88: 'gRFC A88',
  'pre-a88': 'before A88',
};

/** Why the answer follows this profile, in words. */
export function explainProfile(profile: ResolveProfile, userAgent: string, isChosen: boolean): string {
  const told = userAgent === '' ? 'the client tells no user agent' : `the user agent is “${userAgent}”`;
  const guessed = guessProfile(userAgent);
  if (isChosen && profile !== guessed) return `${profileNames[profile]} was chosen; ${told}`;
  if (findProfile(userAgent) !== undefined) return `${profileNames[guessed]}: ${told}`;
  const why = userAgent === '' ? told : `${told}, which names no known client`;
  return `${why}: taken for ${profileNames[guessed]}`;
}
