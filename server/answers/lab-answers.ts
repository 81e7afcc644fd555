import type { LabQuestions } from '@/lib/questions/lab-questions';
import type { Answers } from './ask';
import type { LabApi } from './lab/lab-api';

export function createLabAnswers(lab: LabApi): Pick<Answers, keyof LabQuestions> {
  return {
    lab: () => lab.status(),
    'lab/resources': () => ({ items: lab.listResources() }),
  };
}
