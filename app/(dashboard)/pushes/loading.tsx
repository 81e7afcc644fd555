export { LoadingPage as default } from '../../_components/shell/loading-page';
