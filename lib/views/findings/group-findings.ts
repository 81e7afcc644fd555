import type { ClientFindings, FindingsQuery } from './schema';

/** The findings of one rule to which the profile reacts, or those that concern only other clients. */
export interface FindingsGroup {
  /** Identifies the group in the URL. */
  readonly key: string;
  readonly title: string;
  /** Empty: the group does not belong to a rule. */
  readonly ruleId: string;
  readonly source: string;
  readonly findings: number;
  /** Findings for which the profile rejects the resource, sends no answer, crashes, or does not serve. */
  readonly nacked: number;
  readonly query: Partial<Pick<FindingsQuery, 'rule' | 'about' | 'only'>>;
}

interface GroupedFindings {
  readonly ofProfile: readonly FindingsGroup[];
  /** Rules of other clients, which matter when the same config is sent to them. */
  readonly portability: readonly FindingsGroup[];
}

/** Groups by rule, in the order of the counts. Resources that the client itself rejected come first. */
export function groupFindings({ rejected, byRule }: ClientFindings['counts']): GroupedFindings {
  const own = byRule.flatMap(({ ruleId, title, source, ofProfile, nacked }): FindingsGroup[] =>
    ofProfile === 0
      ? []
      : [
          {
            key: ruleId,
            title,
            ruleId,
            source,
            findings: ofProfile,
            nacked,
            query: { rule: ruleId, about: 'profile' },
          },
        ],
  );
  const portability = byRule.flatMap(({ ruleId, title, source, findings, ofProfile }): FindingsGroup[] =>
    findings === ofProfile
      ? []
      : [
          {
            ...{ key: `others-${ruleId}`, title, ruleId, source, findings: findings - ofProfile, nacked: 0 },
            query: { rule: ruleId, about: 'others' },
          },
        ],
  );
  const byClient: FindingsGroup[] =
    rejected === 0
      ? []
      : [
          {
            ...{ key: 'rejected', title: 'Resources that the client rejected, with its error message' },
            ...{ ruleId: '', source: 'error_detail of the NACK', findings: rejected, nacked: rejected },
            query: { only: 'rejected' },
          },
        ];
  return { ofProfile: [...byClient, ...own], portability };
}
