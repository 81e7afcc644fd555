import type { LabQuestions } from '@/lib/questions/lab-questions';
import type { LabApi } from '../api/lab-api';
import type { Answers } from './ask';

export function createLabAnswers(lab: LabApi): Pick<Answers, keyof LabQuestions> {
  return {
    lab: () => lab.status(),
    'lab/resources': () => ({ items: lab.listResources() }),
  };
}
