import { mapProfiles } from '../xds/profile';
import type { Reactions } from './reactions';
import type { Violation } from './rule';

const dependsOn =
  'The targets of the client, which are not known here: it crashes only if the domains of the virtual host include one of them.';

/** Clients that crash because of a route read it after their ACK, and only for a target of the virtual host. */
export function crashesForTarget(reactions: Reactions): Pick<Violation, 'reactions' | 'dependence'> {
  if (!Object.values(reactions).includes('crash')) return { reactions };
  const otherwise = mapProfiles((profile) =>
    reactions[profile] === 'crash' ? 'accept' : reactions[profile],
  );
  return { reactions, dependence: { dependsOn, otherwise } };
}
