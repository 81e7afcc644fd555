import type { Health } from '../health/schema';

/** Notices for every page, which may show less than was observed. */
interface StorageRemark {
  readonly title: string;
  /** One sentence or more, without the title. */
  readonly text: string;
  readonly tone: 'stale' | 'notice';
}

type StorageFacts = Pick<Health, 'recorder' | 'storage' | 'load'>;

/** The worst first. Empty if everything that is observed is recorded and can be read. */
export function describeStorage({ recorder, storage, load }: StorageFacts): StorageRemark[] {
  const stopped = recorder.reason === '' ? 'the reason is not known' : recorder.reason;
  return [
    ...(recorder.state === 'stopped'
      ? [
          {
            ...{ title: 'Recording has stopped', tone: 'stale' as const },
            text: `${stopped}. Recorded data can still be read while xdscope runs.`,
          },
        ]
      : []),
    ...(load.problem === ''
      ? []
      : [{ title: 'Load is not recorded', text: `${load.problem}.`, tone: 'stale' as const }]),
    ...storage.damaged.map((text) => ({
      ...{ title: 'A part of the recording cannot be read', tone: 'stale' as const },
      text: `${text}.`,
    })),
    ...storage.setAside.map((text) => ({
      ...{ title: 'The recording starts anew', tone: 'notice' as const },
      text: `${text}.`,
    })),
    ...storage.changed.map((text) => ({
      ...{ title: 'A file of the data directory was changed', tone: 'notice' as const },
      text: `${text}.`,
    })),
  ];
}
