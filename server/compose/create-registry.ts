import { declarationOf } from '../sources/describe-source';
import { SourcePublisher } from '../sources/source-publisher';
import { SourceRegistry } from '../sources/source-registry';
import type { State } from './create-state';
import type { Storage } from './open-storage';
import type { Workers } from './start-workers';

/** `findState` is called for events of sources, none of which exists before the state. */
export function createRegistry(
  { clock, removedSources }: Storage,
  { istiods }: Workers,
  findState: () => State,
): SourceRegistry {
  const reportProbes = (): void =>
    istiods.setProbedNodes(registry.listProbes().map(({ settings }) => settings.nodeId));
  const registry = new SourceRegistry({
    onStart: (source) => {
      findState().declare(source.id, declarationOf(source));
      if (source.settings !== null) reportProbes();
    },
    onChange: (source, before, now) => findPublisher().changed(source, before, now),
    onRemoved: (source, last) => {
      const { live, load, loadCounters } = findState();
      // A list may find a target again soon after it lost it.
      if (source.listId === null) removedSources.add(source.id, live.removedProbes);
      if (source.settings !== null) reportProbes();
      findPublisher().removed(source, last);
      load.removeSource(source.id);
      loadCounters.removeSource(source.id);
    },
    findClientLimit: (sourceId, notAdmitted) => findState().lifetimes.noticeOf(sourceId, notAdmitted),
  });
  let publisher: SourcePublisher | undefined;
  const findPublisher = (): SourcePublisher => {
    const { publish, observe, live, lifetimes } = findState();
    publisher ??= new SourcePublisher({
      ...{ clock, publish, observe, live, lifetimes },
      findSource: (id) => registry.find(id),
      statusOf: (id) => registry.statusOf(id),
    });
    return publisher;
  };
  return registry;
}
