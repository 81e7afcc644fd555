import type { IssueQuestions } from '@/lib/views/questions';
import type { Answers } from './ask';
import type { IssuesApi } from './issues/issues-api';

export function createIssueAnswers(issues: IssuesApi): Pick<Answers, keyof IssueQuestions> {
  return {
    issues: (query, { signal }) => issues.list(query, signal),
    'issues/strip': (query, { signal }) => issues.strip(query, signal),
    'issues/{issueId}': ({ at }, { params: { issueId }, signal }) => issues.find(issueId, at, signal),
  };
}
