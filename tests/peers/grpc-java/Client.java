// A gRPC client on grpc-java. Usage: Client ADMIN_ADDRESS TARGET...
//
// It serves CSDS and channelz on ADMIN_ADDRESS and calls /peers.Echo/Ping of each target again and again. Output lines:
// "ADMIN PORT" and "CALL TARGET ok|error TEXT". Input lines: "open TARGET", "close TARGET", and "burst TARGET COUNT": COUNT
// calls of an own channel, whose results are one line "BURST TARGET ANSWER=COUNT...". "serve ADDRESS" starts an xDS-enabled
// server on the port, which prints "MODE serving" or "MODE not-serving" when its mode changes.
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.services.AdminInterface;
import io.grpc.stub.ClientCalls;
import io.grpc.xds.XdsServerBuilder;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

public final class Client {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] bytes) {
          return new ByteArrayInputStream(bytes);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException error) {
            throw new UncheckedIOException(error);
          }
        }
      };
  private static final MethodDescriptor<byte[], byte[]> PING =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("peers.Echo/Ping")
          .setRequestMarshaller(BYTES)
          .setResponseMarshaller(BYTES)
          .build();
  private static final Map<String, ManagedChannel> CHANNELS = new ConcurrentHashMap<>();
  private static final Map<String, ManagedChannel> BURSTING = new ConcurrentHashMap<>();

  public static void main(String[] args) throws Exception {
    String[] address = args[0].split(":");
    Server server =
        NettyServerBuilder.forAddress(
                new InetSocketAddress(address[0], Integer.parseInt(address[1])),
                InsecureServerCredentials.create())
            .addServices(AdminInterface.getStandardServices())
            .build()
            .start();
    print("ADMIN " + server.getPort());
    Arrays.stream(args).skip(1).forEach(Client::open);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ");
      if (words[0].equals("open")) open(words[1]);
      if (words[0].equals("burst")) {
        Thread caller = new Thread(() -> burst(words[1], Integer.parseInt(words[2])));
        caller.setDaemon(true);
        caller.start();
      }
      if (words[0].equals("serve")) serve(Integer.parseInt(words[1].split(":")[1]));
      if (words[0].equals("close")) CHANNELS.remove(words[1]).shutdownNow();
    }
    System.exit(0);
  }

  private static synchronized void print(String line) {
    System.out.println(line.replace('\n', ' '));
  }

  private static void serve(int port) {
    Server server =
        XdsServerBuilder.forPort(port, InsecureServerCredentials.create())
            .xdsServingStatusListener(
                new XdsServerBuilder.XdsServingStatusListener() {
                  @Override
                  public void onServing() {
                    print("MODE serving");
                  }

                  @Override
                  public void onNotServing(Throwable reason) {
                    print("MODE not-serving " + reason);
                  }
                })
            .build();
    // start() returns when it serves.
    Thread starting =
        new Thread(
            () -> {
              try {
                server.start();
              } catch (IOException error) {
                throw new UncheckedIOException(error);
              }
            });
    starting.setDaemon(true);
    starting.start();
  }

  private static void burst(String target, int count) {
    ManagedChannel channel =
        BURSTING.computeIfAbsent(
            target,
            name -> Grpc.newChannelBuilder(name, InsecureChannelCredentials.create()).build());
    Map<String, Integer> answers = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      String answer = "error";
      CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS);
      try {
        answer = new String(ClientCalls.blockingUnaryCall(channel, PING, options, "ping".getBytes()));
      } catch (StatusRuntimeException error) {
        if (i == 0) print("FAILED " + target + " " + error.getStatus());
      }
      answers.merge(answer, 1, Integer::sum);
    }
    StringBuilder line = new StringBuilder("BURST " + target);
    answers.forEach((answer, number) -> line.append(' ').append(answer).append('=').append(number));
    print(line.toString());
  }

  private static void open(String target) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    CHANNELS.put(target, channel);
    Thread caller = new Thread(() -> callAgainAndAgain(target, channel));
    caller.setDaemon(true);
    caller.start();
  }

  private static void callAgainAndAgain(String target, ManagedChannel channel) {
    while (!channel.isShutdown()) {
      CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(1, TimeUnit.SECONDS);
      try {
        byte[] answer = ClientCalls.blockingUnaryCall(channel, PING, options, "ping".getBytes());
        print("CALL " + target + " ok " + new String(answer));
      } catch (StatusRuntimeException error) {
        print("CALL " + target + " error " + error.getStatus());
      }
      try {
        Thread.sleep(200);
      } catch (InterruptedException error) {
        return;
      }
    }
  }
}
