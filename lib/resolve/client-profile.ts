import type { ProbeProfile } from '../xds/probe-choices';
import { guessProfile } from './guess-profile';
import type { ResolveProfile } from './resolve-profile';

export interface ProfiledClient {
  readonly node: { readonly userAgentName: string };
  /** The profile that our own probe imitates, if the client is such a probe. */
  readonly asClient?: ProbeProfile | undefined;
}

/** The profile for a question that names none: a known profile, or else a guessed one. */
export function profileOfClient({ node, asClient }: ProfiledClient): ResolveProfile {
  return asClient ?? guessProfile(node.userAgentName);
}
