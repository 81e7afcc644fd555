import { rejectionOfListeners } from './explain-unknown-document';
import type { PlannedReport, ReportPlan } from './report-plan';

/**
 * Joins the plans of documents that are parts of one client, as /config_dump and /clusters of one Envoy. A document with
 * several clients is not a part, and keeps its own. `names` are those of the documents, for the places of problems.
 */
export function joinPlans(plans: readonly ReportPlan[], names: readonly string[]): ReportPlan {
  const reports: PlannedReport[] = [];
  let joined: PlannedReport | undefined;
  for (const plan of plans) {
    const [only, ...others] = plan.reports;
    if (only === undefined || others.length > 0 || only.side !== 'client') {
      reports.push(...plan.reports);
      continue;
    }
    if (joined !== undefined) joined.join(only);
    else {
      joined = only;
      reports.push(only);
    }
  }
  const problems = plans.flatMap((plan, index) =>
    plan.problems.map((each) => ({ ...each, place: [names[index], each.place].filter(Boolean).join(': ') })),
  );
  const found = reports.filter(
    ({ hasContent, node, isReported }) => hasContent || node !== null || isReported,
  );
  if (found.length === 0 && reports.length > 0) {
    problems.push({ place: '', reason: rejectionOfListeners });
  }
  const kinds = [...new Set(plans.flatMap((plan) => plan.kinds))];
  return { kinds, format: plans[0]?.format ?? 'json', reports: found, problems };
}
