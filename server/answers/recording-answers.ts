import type { RecordingQuestions } from '@/lib/questions/recording-questions';
import type { Answers } from './ask';
import type { PinsApi } from './files/pins-api';
import type { ReplaysApi } from './files/replays-api';
import type { PermalinksApi } from './permalinks/permalinks-api';
import { missingSubject } from './simulate-failover';

export interface RecordingAnswersParts {
  readonly pins: PinsApi;
  readonly replays: ReplaysApi;
  readonly permalinks: PermalinksApi;
}

export function createRecordingAnswers({
  pins,
  replays,
  permalinks,
}: RecordingAnswersParts): Pick<Answers, keyof RecordingQuestions> {
  return {
    pins: async () => ({ items: await pins.list() }),
    replays: () => ({ items: replays.list() }),
    async 'permalinks/{id}'(_query, { params: { id } }) {
      const permalink = await permalinks.find(id);
      if (permalink === undefined) throw missingSubject({ permalinkId: id });
      return permalink;
    },
  };
}
