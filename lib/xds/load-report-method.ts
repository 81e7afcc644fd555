/** The only method of envoy.service.load_stats.v3.LoadReportingService. */
export const loadReportMethod = 'StreamLoadStats';
