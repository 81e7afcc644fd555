import { sourceIdOf } from '../config/source-id';
import { describeSource } from './describe-source';
import type { SourceRegistry } from './source-registry';
import type { ListSetup, StarterOf } from './source-starter';
import type { ListMembers } from './target-list/target-list';

/** A poll with its deadline reports as much, and there may be thousands of connections. */
const keepaliveMs = 60_000;

/** The sources of a list as sources of this process, each with its own state and its own back-off. */
export function listMembers(
  { listId, setup: { from, security } }: { readonly listId: string; readonly setup: ListSetup },
  { registry, starterOf }: { readonly registry: SourceRegistry; readonly starterOf: StarterOf },
): ListMembers {
  const idOf = (target: string): string => sourceIdOf('csds', target);
  // Certificates name the host, not its addresses.
  const named =
    from.kind === 'dns' && security.credentials.kind === 'tls' ? { serverName: from.target.host } : {};
  return {
    add({ target, label }) {
      if (registry.has(idOf(target))) return false;
      const setup = { kind: 'csds', security, keepaliveMs, ...named } as const;
      const description = describeSource({ kind: 'csds', target, label, origin: 'list', listId }, setup);
      registry.add(description, starterOf(description, setup));
      return true;
    },
    async remove(target) {
      await registry.remove(idOf(target));
    },
    setPaused(target, paused) {
      registry.setPaused(idOf(target), paused);
    },
  };
}
