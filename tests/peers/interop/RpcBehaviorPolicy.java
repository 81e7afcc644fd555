import io.grpc.ConnectivityState;
import io.grpc.LoadBalancer;
import io.grpc.LoadBalancerProvider;
import io.grpc.LoadBalancerRegistry;
import io.grpc.Metadata;
import io.grpc.NameResolver.ConfigOrError;
import io.grpc.Status;
import io.grpc.util.ForwardingLoadBalancer;
import io.grpc.util.ForwardingLoadBalancerHelper;
import java.util.Map;

/** The policy of the case custom_lb: round robin with rpc-behavior added to each RPC. */
final class RpcBehaviorPolicy extends LoadBalancerProvider {
  private static final Metadata.Key<String> BEHAVIOR =
      Metadata.Key.of("rpc-behavior", Metadata.ASCII_STRING_MARSHALLER);

  @Override
  public boolean isAvailable() {
    return true;
  }

  @Override
  public int getPriority() {
    return 5;
  }

  @Override
  public String getPolicyName() {
    return "test.RpcBehaviorLoadBalancer";
  }

  @Override
  public ConfigOrError parseLoadBalancingPolicyConfig(Map<String, ?> config) {
    return ConfigOrError.fromConfig(config.get("rpcBehavior"));
  }

  @Override
  public LoadBalancer newLoadBalancer(LoadBalancer.Helper helper) {
    BehaviorHelper adding = new BehaviorHelper(helper);
    LoadBalancer child =
        LoadBalancerRegistry.getDefaultRegistry().getProvider("round_robin").newLoadBalancer(adding);
    return new ForwardingLoadBalancer() {
      @Override
      protected LoadBalancer delegate() {
        return child;
      }

      @Override
      public Status acceptResolvedAddresses(LoadBalancer.ResolvedAddresses addresses) {
        adding.behavior = (String) addresses.getLoadBalancingPolicyConfig();
        return child.acceptResolvedAddresses(
            addresses.toBuilder().setLoadBalancingPolicyConfig(null).build());
      }
    };
  }

  private static final class BehaviorHelper extends ForwardingLoadBalancerHelper {
    private final LoadBalancer.Helper helper;
    private volatile String behavior;

    BehaviorHelper(LoadBalancer.Helper helper) {
      this.helper = helper;
    }

    @Override
    protected LoadBalancer.Helper delegate() {
      return helper;
    }

    @Override
    public void updateBalancingState(ConnectivityState state, LoadBalancer.SubchannelPicker picker) {
      helper.updateBalancingState(
          state,
          new LoadBalancer.SubchannelPicker() {
            @Override
            public LoadBalancer.PickResult pickSubchannel(LoadBalancer.PickSubchannelArgs args) {
              args.getHeaders().put(BEHAVIOR, behavior);
              return picker.pickSubchannel(args);
            }
          });
    }
  }
}
