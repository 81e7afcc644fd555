// The client of a twin: reads RPCs as a line of JSON, sends them one after the other, and writes a line of JSON for each. It ends
// when its standard input ends.
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

final class TwinClient {
  private static final Metadata.Key<String> BACKEND = text("xdscope-backend");

  /** The line that the program reads. */
  private static final class Rpcs {
    String target;
    String authority;
    String path;
    String[][] metadata;
    int times;
    long deadlineMs;
  }

  private static final class NoBytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] bytes) {
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public byte[] parse(InputStream stream) {
      return new byte[0];
    }
  }

  static void run() throws IOException {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Rpcs rpcs = new Gson().fromJson(input.readLine(), Rpcs.class);
    Thread sending = new Thread(() -> send(rpcs));
    sending.setDaemon(true);
    // An RPC that cannot begin ends the program.
    sending.setUncaughtExceptionHandler(
        (thread, error) -> {
          error.printStackTrace();
          Runtime.getRuntime().halt(1);
        });
    sending.start();
    while (input.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }

  private static void send(Rpcs rpcs) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(rpcs.target, InsecureChannelCredentials.create())
            .overrideAuthority(rpcs.authority)
            .build();
    MethodDescriptor<byte[], byte[]> method =
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(rpcs.path.substring(1))
            .setRequestMarshaller(new NoBytes())
            .setResponseMarshaller(new NoBytes())
            .build();
    for (int i = 0; i < rpcs.times; i++) System.out.println(send(channel, method, rpcs).join());
  }

  private static CompletableFuture<String> send(
      ManagedChannel channel, MethodDescriptor<byte[], byte[]> method, Rpcs rpcs) {
    Metadata fields = new Metadata();
    for (String[] field : rpcs.metadata) {
      if (field[0].endsWith("-bin"))
        fields.put(
            Metadata.Key.of(field[0], Metadata.BINARY_BYTE_MARSHALLER), Base64.getDecoder().decode(field[1]));
      else fields.put(text(field[0]), field[1]);
    }
    CompletableFuture<String> ended = new CompletableFuture<>();
    CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(rpcs.deadlineMs, TimeUnit.MILLISECONDS);
    ClientCall<byte[], byte[]> call = channel.newCall(method, options);
    call.start(
        new ClientCall.Listener<>() {
          private String backend;

          @Override
          public void onHeaders(Metadata received) {
            backend = received.get(BACKEND);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            JsonObject result = new JsonObject();
            result.addProperty("code", status.getCode().value());
            result.addProperty("details", status.getDescription() == null ? "" : status.getDescription());
            if (backend != null) result.addProperty("backend", Integer.parseInt(backend));
            ended.complete(result.toString());
          }
        },
        fields);
    call.request(2);
    call.sendMessage(new byte[0]);
    call.halfClose();
    return ended;
  }

  private static Metadata.Key<String> text(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private TwinClient() {}
}
