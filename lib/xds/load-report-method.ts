/** LRS: the one method of envoy.service.load_stats.v3.LoadReportingService, as streams are reported. */
export const loadReportMethod = 'StreamLoadStats';
