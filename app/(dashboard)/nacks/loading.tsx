import { PageBody } from '../../_components/shell/page-body';
import { Skeleton } from '../../_components/skeleton';

export default function Loading() {
  return (
    <PageBody>
      <Skeleton waitsFor="the NACKs" rows={12} />
    </PageBody>
  );
}
