import type { SourceQuestions } from '@/lib/questions/source-questions';
import type { Answers } from './ask';
import type { ImportsApi } from './files/imports-api';
import type { DescriptorSetsApi } from './sources/descriptor-sets-api';
import { type SourcesApi, unknownSource } from './sources/sources-api';

export interface SourceAnswersParts {
  readonly sources: SourcesApi;
  readonly imports: ImportsApi;
  readonly descriptorSets: DescriptorSetsApi;
}

export function createSourceAnswers({
  sources,
  imports,
  descriptorSets,
}: SourceAnswersParts): Pick<Answers, keyof SourceQuestions> {
  return {
    sources: (query) => sources.page(query),
    'sources/{id}': (_query, { params: { id } }) => {
      const source = sources.find(id);
      if (source === undefined) throw unknownSource(id);
      return source;
    },
    credentials: () => ({ items: sources.listCredentials() }),
    imports: () => ({ items: imports.list() }),
    'imports/{id}/problems': (query, { params: { id } }) => imports.problems(id, query),
    'descriptor-sets': () => ({ items: descriptorSets.list() }),
  };
}
