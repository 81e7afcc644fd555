import type { TargetListSetup } from '../collect/source-kind/polled-targets';
import { sourceIdOf } from '../collect/source-kind/source-kind';
import { describeSource } from './describe-source';
import type { SourceSetup } from './source-kinds';
import type { SourceRegistry } from './source-registry';
import type { StarterOf } from './source-starter';
import type { ListMembers } from './target-list/target-list';

/** The sources of a list as sources of this process, each with its own state and its own back-off. */
export function listMembers(
  { listId, setup: { member } }: { readonly listId: string; readonly setup: TargetListSetup },
  { registry, starterOf }: { readonly registry: SourceRegistry; readonly starterOf: StarterOf },
): ListMembers {
  const { kind } = member;
  const idOf = (target: string): string => sourceIdOf(kind, target);
  return {
    add({ target, label }) {
      if (registry.has(idOf(target))) return false;
      const setup = member as SourceSetup;
      const description = describeSource({ kind, target, label, origin: 'list', listId }, setup);
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
